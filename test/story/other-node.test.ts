/** Started by whatever Node the machine has, oka is what a person kills: nothing of it goes on. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { launcher, oka, temporaryFolder } from '../support/cli.ts';

/** A Node of this machine that cannot run oka itself. */
const older = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  return /^v(?:1\d|2[0-3])\./.test(version);
});

async function isWorking(dir: string): Promise<boolean> {
  const { out } = await oka('status', '--json', '--dir', dir);
  return (JSON.parse(out) as { worker: unknown }).worker !== null;
}

async function untilKilled(child: ChildProcess, dir: string): Promise<void> {
  try {
    await expect.poll(() => isWorking(dir), { timeout: 120_000 }).toBe(true);
  } finally {
    const ended = once(child, 'exit');
    process.kill(child.pid ?? 0, 'SIGKILL');
    await ended;
  }
  await expect.poll(() => isWorking(dir), { timeout: 120_000 }).toBe(false);
}

it.skipIf(older === undefined)(
  'under an older Node, which has to wait for another, kill -9 ends all of it',
  async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    for (let round = 0; round < 2; round += 1) {
      const child = spawn(older ?? '', [launcher, 'up', '--no-setup', '--dir', folder.dir], { stdio: 'ignore' });
      await untilKilled(child, folder.dir); // the second is not refused
    }
  },
);

it.skipIf(older === undefined)('an older Node passes on exit codes, and the end by a signal', async () => {
  expect(spawnSync(older ?? '', [launcher, 'no-such-command']).status).toBe(2);
  expect(spawnSync(older ?? '', [launcher, '--version']).status).toBe(0);
});

it('as a command it becomes Node: one process, which kill -9 ends with all of it', async () => {
  using folder = temporaryFolder();
  await oka('init', '--dir', folder.dir);
  const child = spawn(launcher, ['up', '--no-setup', '--dir', folder.dir], { stdio: 'ignore' });
  if (process.platform === 'linux')
    await expect.poll(() => readlinkSync(`/proc/${child.pid}/exe`), { timeout: 60_000 }).toMatch(/node$/);
  await untilKilled(child, folder.dir);
});
