/** A home that is killed at any step of giving a task away: it is sent once, recorded once, and its result comes once. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nanos } from '@nats-io/nats-core';
import { describe, expect, it } from 'vitest';
import { pauseFile } from '../../src/kit/home/stop-files.ts';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { RESULTS, TASKS, taskSubject } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { mayBeClaimed } from '../../src/kit/inbox/inbox-folders.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import type { KillStep } from '../support/kill-at-step.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const TASK = '# Count\n\n```bash\necho once >> count.txt\n```\n';

const STEPS = [
  String.raw`^message .*PUB oka\.run\._home-`,
  '^event .*"task.received"',
  String.raw`^message .*PUB oka\.task\.`,
  '^event .*"task.sent"',
  String.raw`^rename .*/\.finished-`,
];
/** To look through it takes longer than to do the task. */
const LONG_QUEUE = 10_000;
const AT_ONCE = 500;
const PATIENT = 120;
const MOMENTS: KillStep[] = STEPS.flatMap((pattern) => [
  { pattern, when: 'before' },
  { pattern, when: 'after' },
]);

describe.skipIf(!hasServer)('a home that is killed while it gives a task away', () => {
  it.each([
    ['at once', null],
    ['after hours', 100],
  ])('and comes back %s sends and records it once, and gets its result once', async (_, window) => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const worker = homes.open('worker', { OKA_FLEET_LABELS: 'w' });
    worker.start();
    await until('it has joined', async () => (await worker.events('worker.started')).length === 1);
    const servers = [cluster.url];
    const { manager, close } = await connectFleet({ servers, credentials: null, authority: null, name: 'root' });
    if (window !== null) await manager.streams.update(TASKS, { duplicate_window: nanos(window) });
    const all = MOMENTS.map((moment, index) => ({ moment, home: homes.open(`h${index}`) }));
    for (const { moment, home } of all) {
      home.drop(home.name, TASK, { needs: ['w'] });
      home.start(moment);
    }
    await Promise.all(all.map(({ home }) => home.ended()));
    await until('what was sent is done', async () => (await manager.streams.info(TASKS)).state.messages === 0);
    await Promise.all(all.map(({ home }) => comeBack(home)));

    for (const { moment, home } of all) {
      const counted = await Promise.all(
        (['task.received', 'task.sent', 'task.returned'] as const).map(
          async (type) => (await home.events(type)).length,
        ),
      );
      expect(counted, `received, sent and returned; killed ${moment.when} ${moment.pattern}`).toEqual([1, 1, 1]);
      expect(readFileSync(join(home.home.workspace, 'desk', home.name, 'count.txt'), 'utf8')).toBe('once\n');
      expect(await home.oka('fleet', 'status', '--json')).toMatchObject({ sent: [] });
    }
    expect((await manager.streams.info(TASKS)).state.last_seq).toBe(MOMENTS.length); // each was stored once
    expect((await manager.streams.info(RESULTS)).state.messages).toBe(0);
    expect(await worker.events('run.claimed')).toHaveLength(MOMENTS.length);
    await close();
  });

  it('and again when it has done the task itself, before it found it in a long queue, records both', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home', { OKA_FLEET_LABELS: 'w' });
    home.start();
    await until('it has joined', async () => (await home.events('worker.started')).length === 1);
    await home.stop();
    const servers = [cluster.url];
    const { js, close } = await connectFleet({ servers, credentials: null, authority: null, name: 'root' });
    for (let sent = 0; sent < LONG_QUEUE; sent += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => js.publish(taskSubject('nobody', 'root'), '{}')));
    home.drop('t', TASK, { needs: ['w'] });
    home.start({ pattern: String.raw`^message .*PUB oka\.task\.`, when: 'after' });
    await home.ended();
    home.start({ pattern: '^rename [^\n]*/outbox/t/RESULT[.]md$', when: 'after' });
    await home.ended();
    expect(await home.events('task.sent'), 'the queue was long enough').toEqual([]);
    home.start();
    for (const type of ['task.received', 'task.sent', 'task.returned'] as const)
      await until(`${type} is recorded`, async () => (await home.events(type)).length === 1, PATIENT);
    await until('its claim has ended', () => !mayBeClaimed(join(home.home.workspace, 'inbox'), 't'));
    expect(readFileSync(join(home.home.workspace, 'desk/t/count.txt'), 'utf8')).toBe('once\n');
    await close();
  });

  it('and had begun it itself, before it was a member, goes on with it alone', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const alone = homes.open('home', { OKA_FLEET: '' });
    alone.drop('t', TASK);
    alone.start({ pattern: String.raw`^rename .*/\.finished-`, when: 'before' });
    await alone.ended();
    expect(await alone.events('run.started')).not.toEqual([]);
    const home = homes.open('home');
    home.start();
    await until('its claim has ended', () => !mayBeClaimed(join(home.home.workspace, 'inbox'), 't'));
    await until('it is done', () => home.result('t')?.includes('✅ Done') === true);
    expect(await home.events('task.sent')).toEqual([]);
    expect(await home.events('run.claimed')).toEqual([]);
    expect(readFileSync(join(home.home.workspace, 'desk/count.txt'), 'utf8')).toBe('once\n');
  });
});

/** Its result is there, and was taken away by a person, before it looks at the inbox again. */
async function comeBack(home: FleetHome): Promise<void> {
  const isSent = (await home.events('task.sent')).length > 0;
  const result = join(home.home.workspace, 'outbox', home.name);
  writeFileSync(pauseFile(home.home), '');
  home.start();
  if (isSent) {
    await until('its result is there', async () => (await home.events('task.returned')).length === 1);
    expect(readdirSync(result)).toEqual(['RESULT.md', 'TASK.md', 'files']);
    rmSync(result, { recursive: true });
  }
  rmSync(pauseFile(home.home));
  await until('its claim has ended', () => !mayBeClaimed(join(home.home.workspace, 'inbox'), home.name));
  if (!isSent) await until('its result is there', () => existsSync(join(result, 'RESULT.md')));
  await until('it is recorded', async () => (await home.events('task.returned')).length > 0);
}
