/** Messages and streams that the servers have lost are refilled from the ledgers of the homes; nothing is done twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Backfill } from '../../src/rooms/fleet/backfill-runs.ts';
import type { CreatedAgain } from '../../src/rooms/fleet/commands/fleet-repair-commands.ts';
import type { TaskExplanation } from '../../src/rooms/fleet/explain-task.ts';
import { RUNS, runSubjects, TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { foldHistory } from '../../src/rooms/fleet/servers/run-owner.ts';
import { type FleetHome, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer } from '../support/nats-cluster.ts';
import {
  allowDeleting,
  approveCall,
  checkHomes,
  deleteMessage,
  finishTask,
  openHome,
  readRun,
  startWorld,
  taskOf,
  type Three,
  untilAsked,
  type World,
} from '../support/refill-world.ts';

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
    await approveCall(home, 't-1', counter);
    await untilAsked(home, 't-2');
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
    await untilAsked(home, 't-2');
    await home.oka('approve', 't');
    await until('the result is there', () => home.result('t') !== null);
    expect(await home.events('task.returned')).toMatchObject([{ data: { worker: 'two', status: 'done' } }]);
    expect(Object.fromEntries(counter.counts)).toEqual({ 't-1': 1, 't-2': 1 });
    await checkHomes([home, one, two]);
  });
});

describe.skipIf(!hasServer)('streams that are gone', () => {
  it('U1 the stream of runs is created again by an administrator, and nothing is claimed until every home has refilled it', async () => {
    await using world = await startWorld();
    const { counter, connection, homes } = world;
    const [home, one, two] = ['home', 'one', 'two'].map((name) => openHome(homes, name, counter)) as Three;
    const all = [home, one, two];
    for (const each of all) each.start();
    home.drop('done', taskOf('done', counter, 1), { needs: ['w'] });
    await finishTask(home, 'done');
    home.drop('asks', taskOf('asks', counter, 3), { needs: ['w'] });
    home.drop('runs', `${taskOf('runs', counter, 1)}\n\`\`\`bash\nuntil [ -e go ]; do sleep 0.1; done\n\`\`\`\n`, {
      needs: ['w'],
    });
    home.drop('waits', taskOf('waits', counter, 1), { needs: ['x'] });
    for (const call of ['asks-1', 'runs-1', 'runs-2']) await approveCall(home, call, counter);
    await untilAsked(home, 'asks-2');

    await connection.manager.streams.delete(RUNS);
    await one.stop('SIGKILL');
    one.start();
    await expect(refillWhenFree(one)).rejects.toThrow('oka fleet create --again');
    await sleep(5000); // nobody creates it
    await expect(connection.manager.streams.info(RUNS)).rejects.toThrow('not found');
    for (const each of all) await each.stop('SIGKILL');
    await expect(home.oka('fleet', 'create', '--again')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('home, one, two'),
    });
    await expect(connection.manager.streams.info(RUNS)).rejects.toThrow('not found');
    const again = await home.oka<CreatedAgain>('fleet', 'create', '--again', '--yes', '--json');
    expect(again).toEqual({ missing: [RUNS], members: ['home', 'one', 'two'], created: [RUNS] });

    for (const each of [home, one]) {
      expect(await each.oka<Backfill>('fleet', 'backfill', '--yes', '--json')).toMatchObject({
        isNew: true,
        refused: [],
        sent: [],
      });
      expect(await each.oka<Backfill>('fleet', 'backfill', '--json')).toMatchObject({ isNew: false, damaged: [] });
      each.start();
    }
    const late = openHome(homes, 'late', counter, 'x');
    late.start();
    two.start(); // it refuses
    await until('the late one joins', async () => (await late.events('fleet.joined')).length === 1);
    await until('it says why', async () => (await whyOf(home, 'waits')).reasons.join().includes('refilled by two'));
    const claimsOf = (): Promise<number[]> =>
      Promise.all([one, two, late].map(async (each) => (await each.events('run.claimed')).length));
    const claims = await claimsOf();
    await sleep(5000); // nobody claims anything
    expect(await claimsOf()).toEqual(claims);
    await refillWhenFree(two);
    two.start();
    for (const task of ['asks', 'runs', 'waits']) await finishTask(home, task, all);
    for (const task of ['done', 'asks', 'runs', 'waits'])
      expect([task, counter.counts.get(`${task}-1`), counter.counts.get(`${task}-2`)]).toEqual([task, 1, 1]);
    expect((await home.events('task.returned')).map(({ data }) => data.status)).toEqual([
      'done',
      'done',
      'done',
      'done',
    ]);
    await checkHomes([...all, late]);
  });

  it('the queue of tasks is not created by a member that starts; homes send their tasks again, and each is done once', async () => {
    await using world = await startWorld();
    const { counter, connection, homes } = world;
    const [home, one] = ['home', 'one'].map((name) => openHome(homes, name, counter)) as Three;
    for (const each of [home, one]) each.start();
    home.drop('asks', taskOf('asks', counter, 3), { needs: ['w'] });
    home.drop('waits', taskOf('waits', counter, 1), { needs: ['x'] });
    await approveCall(home, 'asks-1', counter);
    await untilAsked(home, 'asks-2');
    await until('the other is sent', async () => (await home.events('task.sent')).length === 2);

    await connection.manager.streams.delete(TASKS);
    for (const each of [home, one]) await each.stop('SIGKILL');
    for (const each of [home, one]) each.start(); // they refuse
    await sleep(5000);
    await expect(connection.manager.streams.info(TASKS)).rejects.toThrow('not found');
    expect(await home.oka('fleet', 'create', '--again', '--yes', '--json')).toEqual({
      missing: [TASKS],
      members: [],
      created: [TASKS],
    });
    const { sent, refilled } = await home.oka<Backfill>('fleet', 'backfill', '--yes', '--json');
    expect([sent.toSorted(), refilled]).toEqual([['asks', 'waits'], []]);
    const late = openHome(homes, 'late', counter, 'x');
    for (const each of [home, one, late]) each.start();
    for (const task of ['asks', 'waits']) await finishTask(home, task);
    expect(Object.fromEntries(counter.counts)).toEqual({ 'asks-1': 1, 'asks-2': 1, 'waits-1': 1, 'waits-2': 1 });
    await checkHomes([home, one, late]);
  });
});

/** A worker that refuses has the pen for a moment. */
async function refillWhenFree(home: FleetHome): Promise<void> {
  for (;;)
    try {
      return void (await home.oka('fleet', 'backfill', '--yes'));
    } catch (error) {
      if (!String(error).includes('is being written by')) throw error;
      await sleep(500);
    }
}

const whyOf = (home: FleetHome, task: string): Promise<TaskExplanation> => home.oka('fleet', 'why', task, '--json');

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
