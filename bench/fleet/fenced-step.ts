/** What the fence adds to a durable step: the ledger of a home that works alone, and that of a member, in turns. */
import { checkServers } from '../../src/rooms/fleet/servers/check-servers.ts';
import { openFleet } from '../../src/rooms/fleet/open-fleet.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import type { FleetEnvironment } from '../../src/kit/fleet-environment.ts';
import { claimRun } from '../../src/rooms/fleet/servers/run-fence.ts';
import type { NatsCluster } from '../../test/support/nats-cluster.ts';
import { median } from '../figure.ts';
import { kilobyteEvent, storesIn, temporaryHome } from '../support/home.ts';

/** Medians; a message is one append to the stream, without a ledger. */
export type StepTimes = { aloneMs: number; fencedMs: number };

export async function runSteps({ url, monitors }: NatsCluster, steps: number): Promise<StepTimes> {
  using alone = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  using shared = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  setUp(alone.home);
  setUp(shared.home);
  const environment: FleetEnvironment = {
    servers: url.split(','),
    monitors: monitors.split(','),
    name: 'stepper',
    labels: [],
    replicas: url.split(',').length,
    ackWaitMs: 30_000,
    answers: 'home',
    sharing: null,
    authority: null,
  };
  await checkServers(environment.monitors, environment.replicas);
  const [plain, own] = [await storesIn(alone.home), await storesIn(shared.home)];
  const fleet = await openFleet(shared.home, own, environment, () => undefined);
  try {
    const claim = await claimRun(fleet.member.log, 'bench', fleet.member.fence);
    if (claim === null) throw new Error('the run of the bench belongs to somebody else');
    fleet.member.owned.add(claim.fence);
    const [before, after]: [number[], number[]] = [[], []];
    for (let step = 0; step < steps; step += 1) {
      before.push(await timed(() => plain.ledger.append(kilobyteEvent(step))));
      after.push(await timed(() => fleet.stores.ledger.append(kilobyteEvent(step))));
    }
    return { aloneMs: median(before), fencedMs: median(after) };
  } finally {
    await fleet.close();
    await Promise.all([plain.close(), own.close()]);
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
