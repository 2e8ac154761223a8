/** What `oka fleet` shows, from the message servers and the ledger of this home. Nothing is changed, and no pen is needed. */
import { failedServers } from './servers/failed-servers.ts';
import { runLog } from './servers/run-log.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import type { MemberMessage } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import { compareRun, type RunComparison } from './compare-stream.ts';
import { requireStream, withFleet } from './fleet-access.ts';
import { describeUnsent } from '../../kit/fleet/fleet-overview.ts';
import { readUnsent } from '../../kit/fleet/unsent-task.ts';

type FleetStatus = {
  member: string;
  servers: string;
  /** Those of them that have stopped storing. */
  failed: string[];
  stream: string;
  /** Tasks that wait, and tasks that somebody works on. */
  waiting: number;
  taken: number;
  needs: { needs: string; waiting: number; taken: number }[];
  /** Tasks of this home that have not come back. */
  sent: string[];
  /** Tasks of this home that the servers do not take, and why. */
  unsent: string[];
  /** Runs that this home owns, or owned last. */
  claimed: string[];
};

export async function fleetStatus(home: Home): Promise<FleetStatus> {
  return withFleet(home, async (access) => {
    const { name, environment, known, queue } = access;
    const stream = await requireStream(access);
    const depth = await queue.depth();
    return {
      member: name,
      servers: environment.servers.join(', '),
      failed: await failedServers(environment.monitors),
      stream: `${stream.name} of ${stream.created}`,
      waiting: depth.reduce((sum, { waiting }) => sum + waiting, 0),
      taken: depth.reduce((sum, { taken }) => sum + taken, 0),
      needs: depth.map(({ needs, ...rest }) => ({ needs: needs.join(', ') || 'nothing', ...rest })),
      sent: known.sent,
      unsent: readUnsent(home).map(describeUnsent),
      claimed: Object.keys(known.claimed),
    };
  });
}

export async function fleetMembers(home: Home): Promise<MemberMessage[]> {
  return withFleet(home, async (access) => (await access.openMembers()).list());
}

/** Compares every run of this home that the stream has with the ledger, event by event. */
export async function verifyFleet(home: Home): Promise<RunComparison[]> {
  return withFleet(home, async (access) => {
    const { connection, name } = access;
    const log = runLog(connection, await requireStream(access));
    const claimed = new Set<string>();
    for await (const { type, run } of readEvents(home.ledgers.run))
      if (type === 'run.claimed' && run !== null) claimed.add(run);
    const compared: RunComparison[] = [];
    for (const run of claimed) compared.push(await compareRun(home.ledgers.run, run, name, await log.read(run)));
    return compared;
  });
}
