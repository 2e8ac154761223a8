/** Messages and streams that the servers have lost are refilled from the ledgers of the homes; nothing is done twice. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import type { Backfill } from '../../src/daemon/fleet/backfill-runs.ts';
import type { TaskExplanation } from '../../src/daemon/fleet/explain-task.ts';
import { connectFleet, type FleetConnection } from '../../src/fleet/connect-fleet.ts';
import { openStreams } from '../../src/fleet/fleet-streams.ts';
import { RUNS, runSubjects } from '../../src/fleet/fleet-subjects.ts';
import { runLog } from '../../src/fleet/run-log.ts';
import { foldHistory } from '../../src/fleet/run-owner.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { type Counter, startCounter } from '../support/call-counter.ts';
import { type FleetHome, fleetHomes, type FleetHomes, until } from '../support/fleet-commands-homes.ts';
import { setPolicy } from '../support/fleet-homes.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a stream of runs that has lost messages', () => {
  it('L1 is refilled from the ledger of the owner, also when the first attempt was killed; nobody goes on from it before', async () => {
    await using world = await startWorld();
    const { counter, connection, homes } = world;
    await allowDeleting(connection);
    const [home, one, two] = ['home', 'one', 'two'].map((name) => openHome(homes, name, counter)) as Three;
    home.start();
    one.start();
    home.drop('t', taskOf('t', counter, 40), { needs: ['w'] });
    await untilAsked(home, 't');
    await home.oka('approve', 't');
    await until('the first call is made', () => counter.counts.get('t-1') === 1);
    await untilAsked(home, 't');
    await deleteMessage(connection, 't', 2);
    await one.stop('SIGKILL');
    two.start();

    await until('nobody takes it', async () =>
      (await whyOf(home, 't')).reasons.some((each) => /damaged .*; at one: oka fleet backfill/.test(each)),
    );
    expect(await two.events('run.claimed')).toEqual([]);
    await expect(one.oka('fleet', 'backfill')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('add --yes'),
    });
    expect(await killBackfill(one, world, 't')).toBe('a refill by one');
    expect((await whyOf(home, 't')).reasons.join()).toContain('a refill by one has');
    const { refilled } = await one.oka<Backfill>('fleet', 'backfill', '--yes', '--json');
    expect(refilled).toEqual(['t']);
    expect(await one.oka<Backfill>('fleet', 'backfill', '--json')).toMatchObject({ compared: 1, damaged: [] });

    await until('the other one goes on', async () => (await two.events('run.claimed')).length === 1);
    await untilAsked(home, 't');
    await home.oka('approve', 't');
    await until('the result is there', () => home.result('t') !== null);
    expect(await home.events('task.returned')).toMatchObject([{ data: { worker: 'two', status: 'done' } }]);
    expect(Object.fromEntries(counter.counts)).toEqual({ 't-1': 1, 't-2': 1 });
    for (const {
      home: { ledgers },
    } of [home, one, two])
      expect(await verifyLedger(ledgers.run)).toMatchObject({ state: 'intact' });
  });
});

type Three = [FleetHome, FleetHome, FleetHome];
type World = {
  cluster: NatsCluster;
  counter: Counter;
  homes: FleetHomes;
  connection: FleetConnection;
  listener: NatsConnection;
} & AsyncDisposable;

async function startWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ size: 1 }));
  const counter = stack.use(await startCounter());
  const homes = stack.use(fleetHomes(cluster));
  const connection = await connectFleet({ servers: [cluster.url], credentials: null, authority: null, name: 't' });
  stack.defer(() => connection.close());
  const listener = await connect({ servers: cluster.url.replace('nats://', '') });
  stack.defer(() => listener.close());
  return { cluster, counter, homes, connection, listener, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Workers are asked before every call; the home has no label, and gives its tasks to them. */
function openHome(homes: FleetHomes, name: string, { url }: Counter): FleetHome {
  const opened = homes.open(name, name === 'home' ? {} : { OKA_FLEET_LABELS: 'w' });
  setPolicy(opened.home, `rules:\n  - { effect: ask, host: '${url.slice('http://'.length)}' }`);
  return opened;
}

/** Two calls that are counted, with many events between them. */
function taskOf(key: string, { url }: Counter, steps: number): string {
  const call = (number: number): string =>
    `\`\`\`bash net:${url.slice('http://'.length)}\ncurl -fsS -X POST ${url}/${key}-${number}\n\`\`\`\n`;
  return `# Count it\n\n${call(1)}\n${'```bash\ntrue\n```\n\n'.repeat(steps)}${call(2)}`;
}

const untilAsked = (home: FleetHome, task: string): Promise<void> =>
  until(`${task} asks`, async () => (await home.oka('status')).includes(`oka approve ${task}.`), 300);

const whyOf = (home: FleetHome, task: string): Promise<TaskExplanation> => home.oka('fleet', 'why', task, '--json');

/** The stream of a fleet refuses to delete messages, as damaged servers do not. */
async function allowDeleting(connection: FleetConnection): Promise<void> {
  await openStreams(connection, { replicas: 1, known: null });
  const { config } = await connection.manager.streams.info(RUNS);
  await connection.manager.streams.delete(RUNS);
  await connection.manager.streams.add({ ...config, deny_delete: false });
}

async function deleteMessage(connection: FleetConnection, run: string, index: number): Promise<void> {
  const messages = await readRun(connection, run);
  expect(messages.length).toBeGreaterThan(index + 1);
  await connection.manager.streams.deleteMessage(RUNS, messages.at(index)?.sequence ?? 0);
}

const readRun = (connection: FleetConnection, run: string): ReturnType<ReturnType<typeof runLog>['read']> =>
  runLog(connection, { name: RUNS, created: new Date().toISOString() }).read(run);

/** Kills it when the first message of its refill is on its way; returns what the stream looks like then. */
async function killBackfill(home: FleetHome, { connection, listener }: World, run: string): Promise<string> {
  for (let tries = 0; tries < 10; tries += 1) {
    const child = home.spawnOka('fleet', 'backfill', '--yes');
    const subscription = listener.subscribe(runSubjects(run), {
      callback: (_, message) => void (message.string().includes('"refill"') && child.kill('SIGKILL')),
    });
    await new Promise((resolve) => child.once('exit', resolve));
    subscription.unsubscribe();
    const { damage } = foldHistory(await readRun(connection, run));
    if (damage?.startsWith('a refill') === true) return damage.slice(0, 'a refill by one'.length);
    if (damage === null) await deleteMessage(connection, run, -2); // it was too fast
  }
  return 'it was never killed in the middle';
}
