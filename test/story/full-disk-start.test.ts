/** oka is started on a full disk: it waits, says so, and goes on by itself when there is space. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launcher, oka } from '../support/cli.ts';
import { fillDisk, freeDisk, mayMount, mountSmall, unmount } from '../support/small-disk.ts';

describe.skipIf(!mayMount)('a start on a full disk (needs the right to mount a small tmpfs)', () => {
  let dir = '';
  let up: ChildProcess | null = null;
  let told = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'oka-full-'));
    mountSmall(dir, 'size=64m');
  });
  afterEach(async () => {
    if (up !== null && up.exitCode === null) {
      up.kill('SIGTERM');
      await once(up, 'exit');
    }
    unmount(dir);
    rmSync(dir, { recursive: true });
  });

  it.each([
    ['a home that is there', true],
    ['a folder that is to become one', false],
  ])('%s: it waits, and the task in its inbox is done once there is space', async (_, isThere) => {
    if (isThere) {
      await oka('init', '--dir', dir);
      writeFileSync(join(dir, 'workspace', 'inbox', 'a.md'), '---\nid: a\n---\n```bash\necho done > a.txt\n```\n');
    }
    fillDisk(dir);
    told = '';
    up = spawn(process.execPath, [launcher, 'up', '--alone', '--no-setup', '--no-web', '--dir', dir]);
    for (const stream of [up.stdout, up.stderr]) stream?.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await expect.poll(() => told, { timeout: 60_000 }).toContain('the disk is full');
    expect(up.exitCode).toBeNull();
    freeDisk(dir);
    await expect.poll(() => told, { timeout: 60_000 }).toContain('there is space again');
    const file = join(dir, 'workspace', 'desk', 'a.txt');
    if (isThere) {
      await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 60_000 }).toBe('done\n');
      return;
    }
    await expect.poll(() => told, { timeout: 60_000 }).toMatch(/space again[\s\S]*oka watches/);
  });
});
