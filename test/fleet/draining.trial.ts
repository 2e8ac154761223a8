/** `oka up --drain` at a member: what runs is finished there, what waits goes to another, and `oka up` ends with 0. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskExplanation } from '../../src/rooms/fleet/explain-task.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const SLOW = '# Wait for it\n\n```bash\nuntil [ -e go ]; do sleep 0.1; done; echo once >> count.txt\n```\n';
const PATIENT = 300;

describe.skipIf(!hasServer)('a member that drains', () => {
  it('finishes what runs, hands over what waits, and ends with 0', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const [home, left, right] = openThree(homes);
    for (const each of [left, right]) each.askBeforeCommands();
    home.start();
    await using up = startUp(left);
    for (const task of ['running', 'waiting']) home.drop(task, SLOW, { needs: ['able'] });
    for (const task of ['running', 'waiting'])
      await until(`${task} asks`, async () => (await home.oka('status')).includes(`oka approve ${task}.`), PATIENT);
    await home.oka('approve', 'running');
    await until('its command runs', () => isInCommand(left, 'running'), PATIENT);
    right.start();

    const draining = left.oka('up', '--drain');
    await until('the other has what waits', async () => (await whyAt(home, 'waiting')).member === 'right', PATIENT);
    expect(up.code()).toBeNull(); // its command has not ended
    home.drop('later', SLOW, { needs: ['able'] });
    await until('the other gets what is new', async () => (await whyAt(home, 'later')).member === 'right', PATIENT);
    letGo(left, 'running');
    expect(await draining).toContain('nothing of it is in progress');
    expect(await up.ended).toBe(0);
    await until('it is done', async () => (await returnedAt(home))['running'] === 'left', PATIENT);

    for (const task of ['waiting', 'later']) {
      await until(`${task} asks`, async () => (await home.oka('status')).includes(`oka approve ${task}.`), PATIENT);
      await home.oka('approve', task);
      await until('its command runs', () => isInCommand(right, task), PATIENT);
      letGo(right, task);
      await until(`${task} is done`, async () => (await returnedAt(home))[task] === 'right', PATIENT);
    }
    for (const task of ['running', 'waiting', 'later']) expect(countAt(home, task)).toBe('once\n');
    expect((await left.events('run.fenced')).map(({ run }) => run)).not.toContain('running');
  });

  it.each([1, 2])('that is told to stop %d times ends at once, and another goes on', async (times) => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const [home, left, right] = openThree(homes);
    home.start();
    await using up = startUp(left);
    home.drop('running', SLOW, { needs: ['able'] });
    await until('its command runs', () => isInCommand(left, 'running'), PATIENT);
    const draining = left.oka('up', '--drain');
    await until('it drains', () => existsSync(join(left.home.oka, 'DRAIN')), PATIENT);
    right.start();
    for (let told = 0; told < times; told += 1) up.child.kill('SIGTERM');
    const code = await up.ended;
    if (times === 1) expect(code).toBe(0); // the second time a signal ends it where it is, and its worker with it
    expect(await draining).toContain('The worker has ended');
    await until('home is asked', async () => (await home.oka('status')).includes('oka answer running'), PATIENT);
    letGo(right, 'running');
    await home.oka('answer', 'running', 'repeat');
    await until('it is done', async () => (await returnedAt(home))['running'] === 'right', PATIENT);
    expect(countAt(home, 'running')).toBe('once\n');
  });
});

type Up = AsyncDisposable & { child: ChildProcess; ended: Promise<number | null>; code: () => number | null };

/** As a person starts it, without maintenance and dashboard. */
function startUp(member: FleetHome): Up {
  const child = member.spawnOka('up', '--alone', '--no-setup');
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { child, ended, code: () => child.exitCode, [Symbol.asyncDispose]: stop };
}

function openThree(homes: { open: (name: string, variables?: Record<string, string>) => FleetHome }) {
  const able = { OKA_FLEET_LABELS: 'able' };
  return [homes.open('home'), homes.open('left', able), homes.open('right', able)] as const;
}

const isInCommand = async (member: FleetHome, task: string): Promise<boolean> =>
  (await member.events('desk.kept')).some(({ run, data }) => run?.startsWith(`${task}.`) && data.when === 'before');
const letGo = ({ home }: FleetHome, task: string): void => writeFileSync(join(home.workspace, 'desk', task, 'go'), '');
const countAt = ({ home }: FleetHome, task: string): string =>
  readFileSync(join(home.workspace, 'desk', task, 'count.txt'), 'utf8');
const whyAt = (home: FleetHome, task: string): Promise<TaskExplanation> => home.oka('fleet', 'why', task, '--json');

/** Who has done each task that is back. */
async function returnedAt(home: FleetHome): Promise<Record<string, string>> {
  const done = (await home.events('task.returned')).filter(({ data }) => data.status === 'done');
  return Object.fromEntries(done.map(({ run, data }) => [run, data.worker]));
}
