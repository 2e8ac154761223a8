/** A fleet that is stopped while its stream is refilled, and stores of the servers that are gone. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Backfill } from '../../src/rooms/fleet/backfill-runs.ts';
import type { CreatedAgain } from '../../src/rooms/fleet/commands/fleet-repair-commands.ts';
import { FILES_STREAM, MEMBERS_STREAM, ORDERS_STREAM, SHARED } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { type FleetHome, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer } from '../support/nats-cluster.ts';
import {
  allowDeleting,
  approveCall,
  checkHomes,
  deleteMessage,
  finishTask,
  openHome,
  startWorld,
  taskOf,
  type Three,
  untilAsked,
} from '../support/refill-world.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a fleet that is stopped', () => {
  it('is refilled, and goes on after resume: what was done before is not done again', async () => {
    await using world = await startWorld();
    const { counter, connection, homes } = world;
    await allowDeleting(connection);
    const [home, one] = ['home', 'one'].map((name) => openHome(homes, name, counter)) as Three;
    for (const each of [home, one]) each.start();
    home.drop('t', taskOf('t', counter, 3), { needs: ['w'] });
    await approveCall(home, 't-1', counter);
    await untilAsked(home, 't-2');

    await home.oka('fleet', 'stop');
    await until('it has stopped', async () => (await one.events('fleet.ordered')).length === 1);
    await deleteMessage(connection, 't', 2);
    await home.oka('approve', 't'); // it waits for its turn
    await one.stop();
    expect((await one.oka<Backfill>('fleet', 'backfill', '--yes', '--json')).refilled).toEqual(['t']);
    one.start();
    await until('it has joined again', async () => (await one.events('worker.started')).length === 2);
    await sleep(5000); // nothing goes on
    expect([counter.counts.get('t-2'), home.result('t')]).toEqual([undefined, null]);
    await home.oka('fleet', 'resume');
    await finishTask(home, 't');
    expect(Object.fromEntries(counter.counts)).toEqual({ 't-1': 1, 't-2': 1 });
    expect(await home.events('task.returned')).toMatchObject([{ data: { worker: 'one', status: 'done' } }]);
    await checkHomes([home, one]);
  });

  it('runs nothing for an answer that is given meanwhile, until it is resumed', async () => {
    await using world = await startWorld();
    const { counter, homes } = world;
    const [home, one] = ['home', 'one'].map((name) => openHome(homes, name, counter)) as Three;
    for (const each of [home, one]) each.start();
    home.drop('t', taskOf('t', counter, 1), { needs: ['w'] });
    await untilAsked(home, 't-1');
    await home.oka('fleet', 'stop');
    await until('it has stopped', async () => (await one.events('fleet.ordered')).length === 1);
    await home.oka('approve', 't');
    await until('the answer has arrived', async () => (await one.events('wait.closed')).length === 1);
    await sleep(3000); // nothing goes on
    expect(counter.counts.size).toBe(0);
    await home.oka('fleet', 'resume');
    await finishTask(home, 't');
    expect(Object.fromEntries(counter.counts)).toEqual({ 't-1': 1, 't-2': 1 });
    await checkHomes([home, one]);
  });
});

describe.skipIf(!hasServer)('stores of the servers that are gone', () => {
  it('files, orders and shared values are not created by a member or a command; what members report is, which is said', async () => {
    await using world = await startWorld();
    const { counter, connection, homes } = world;
    const { streams } = connection.manager;
    const home = openHome(homes, 'home', counter);
    home.start();
    dropFolder(home, 'waits', `${taskOf('waits', counter, 1)}\n\`\`\`bash\ngrep -q given data.txt\n\`\`\`\n`);
    await until('it is sent', async () => (await home.events('task.sent')).length === 1);
    await home.stop('SIGKILL');
    const gone = [SHARED, FILES_STREAM, ORDERS_STREAM];
    for (const name of [...gone, MEMBERS_STREAM]) await streams.delete(name);

    for (const words of [['worker'], ['fleet', 'stop'], ['fleet', 'backfill']])
      await expect(home.oka(...words), words.join(' ')).rejects.toThrow('oka fleet create --again');
    for (const name of gone) await expect(streams.info(name), name).rejects.toThrow('not found');
    const again = await home.oka<CreatedAgain>('fleet', 'create', '--again', '--yes', '--json');
    expect(again).toEqual({ missing: gone, members: [], created: gone });
    await streams.delete(MEMBERS_STREAM);
    await home.oka('fleet', 'backfill');
    home.start();
    await until('it says so', () => home.log().includes(`the servers have no ${MEMBERS_STREAM}: it is created`));
    const late = openHome(homes, 'late', counter, 'x');
    late.start();
    await finishTask(home, 'waits');
    expect(Object.fromEntries(counter.counts)).toEqual({ 'waits-1': 1, 'waits-2': 1 });
    expect(await home.events('task.returned')).toMatchObject([{ data: { worker: 'late', status: 'done' } }]);
    await checkHomes([home, late]);
  });
});

/** A task with a file beside it, for a member with the label x. */
function dropFolder({ home: { workspace } }: FleetHome, id: string, text: string): void {
  const folder = join(workspace, id);
  mkdirSync(folder);
  writeFileSync(join(folder, 'data.txt'), 'given\n');
  writeFileSync(join(folder, 'TASK.md'), `---\nid: ${id}\nneeds: [x]\n---\n${text}`);
  renameSync(folder, join(workspace, 'inbox', id));
}
