/** Tasks that end their workers, and runs of a version that is not known here, against a real server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { claimRun, type RunFence } from '../../src/rooms/fleet/servers/run-fence.ts';
import { runLog } from '../../src/rooms/fleet/servers/run-log.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const TASK = '# Any\n\n```bash\necho done > done.txt\n```\n';

describe.skipIf(!hasServer)('a task of the queue', () => {
  it('G4 that has ended three workers comes back as failed, with the evidence; two are not enough, nor three that let it go', async () => {
    await using cluster = await startCluster({ size: 1 });
    for (const number of [1, 2, 3]) await claimAs(cluster, 'bad', number);
    for (const number of [1, 2]) await claimAs(cluster, 'good', number);
    for (const number of [1, 2, 3]) await claimAs(cluster, 'let-go', number);
    for (const number of [1, 2, 3]) await claimAs(cluster, 'another', number, 'let-go'); // they lived on
    await using homes = await startFleetHomes(cluster, ['one']);
    const [one] = homes.list as [FleetHome];
    for (const id of ['bad', 'good', 'let-go'])
      addTask(join(one.home.workspace, 'inbox'), { text: TASK, fields: { id } });
    await until(homes.list, 'all come back', async () => Object.keys(await returnedTo(one)).length === 3);
    expect(await returnedTo(one)).toEqual({ bad: 'failed', good: 'done', 'let-go': 'done' });
    const page = readFileSync(join(one.home.workspace, 'outbox/bad/RESULT.md'), 'utf8');
    expect(page).toContain('3 workers took it one after another');
    expect(page).toContain('- epoch 3: w3, process bad-p3, version 1; nothing was recorded');
    expect(await verifyLedger(one.home.ledgers.run)).toMatchObject({ state: 'intact' });
  });

  it('G4 whose run contains an event of a later version stays in the queue, and others are done', async () => {
    await using cluster = await startCluster({ size: 1 });
    const later = await claimAs(cluster, 'later', 1);
    later.publish([{ seq: 1, type: 'run.dreamt', run: 'later', v: 1, data: {} }]);
    await later.acknowledged();
    await using homes = await startFleetHomes(cluster, ['one']);
    const [one] = homes.list as [FleetHome];
    for (const id of ['later', 'today']) addTask(join(one.home.workspace, 'inbox'), { text: TASK, fields: { id } });
    await until(homes.list, 'one comes back', async () => 'today' in (await returnedTo(one)));
    await until(homes.list, 'the other is refused', () => one.log().includes('does not know the event run.dreamt'));
    expect(await returnedTo(one)).toEqual({ today: 'done' });
  });
});

/** A worker that claims the run and is never heard of again. */
async function claimAs(cluster: NatsCluster, run: string, number: number, as = run): Promise<RunFence> {
  const [worker, process] = [`w${number}`, `${as}-p${number}`];
  const servers = cluster.url.split(',');
  const connection = await connectFleet({ servers, credentials: null, authority: null, name: worker });
  const stream = await openStreams(connection, { replicas: 1, known: null });
  const claim = await claimRun(runLog(connection, stream), run, { worker, process, version: '1' });
  if (claim === null) throw new Error('it could not be claimed');
  return claim.fence;
}

async function returnedTo(home: FleetHome): Promise<Record<string, string>> {
  const returned = (await eventsAt(home)).flatMap(({ type, run, data }) =>
    type === 'task.returned' ? [[run ?? '', data.status] as const] : [],
  );
  return Object.fromEntries(returned);
}
