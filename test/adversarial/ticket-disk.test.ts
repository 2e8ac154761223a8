/** A disk without room for a ticket, or for its mark: the command waits, and has not begun. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errnoOf } from '../../src/core/schema/errors.ts';
import { launch } from '../../src/kit/sandbox/launch.ts';
import type { Launched } from '../../src/kit/sandbox/launch-result.ts';
import { launchEnvironment } from '../../src/kit/sandbox/launch-ticket.ts';
import { readWitness } from '../../src/kit/sandbox/launch-witness.ts';
import { launcher as built } from '../support/launcher.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';

const launcher = built ?? '';
const dir = mkdtempSync(join(tmpdir(), 'oka-no-room-'));
afterAll(() => {
  for (const file of [dir, ranAs('stopped'), ranAs('waits')]) rmSync(file, { recursive: true, force: true });
});

describe.skipIf(!mayMount || built === null).each<[what: string, limits: string]>([
  ['no block is left for the mark', 'size=64k'],
  ['no name is left for the ticket', 'size=1m,nr_inodes=8'],
])('on a disk where %s (needs the right to mount a small tmpfs)', (_, limits) => {
  beforeAll(async () => {
    for (const call of ['stopped', 'waits']) rmSync(ranAs(call), { force: true });
    mountSmall(dir, limits);
    launchEnvironment(dir);
    fill();
  });
  afterAll(() => unmount(dir));

  it('a command that is stopped while it waits for room has not begun', async () => {
    const stop = new AbortController();
    const running = started('stopped', stop.signal);
    await sleep(300);
    stop.abort();
    expect((await running).ended).toEqual({ how: 'not-begun' });
    expect(existsSync(ranAs('stopped'))).toBe(false);
  });

  it('a command waits for room, and starts when there is', async () => {
    const running = started('waits', new AbortController().signal);
    await sleep(300);
    expect(existsSync(ranAs('waits'))).toBe(false);
    free();
    expect(await running).toMatchObject({ ended: { how: 'itself' }, exit: 0 });
    expect(existsSync(ranAs('waits'))).toBe(true);
    expect(await readWitness(dir, 'waits', { launcher, patienceMs: 0 })).toMatchObject({ exit: 0 });
  });
});

function started(call: string, signal: AbortSignal): Promise<Launched> {
  const sandbox = { launcher, rights: null, state: { folder: dir, call } };
  const env = { PATH: '/usr/bin:/bin' };
  return launch({ argv: ['touch', ranAs(call)] }, { cwd: '/', env, signal, outputLimitBytes: 1000, sandbox });
}

const ranAs = (call: string): string => `${dir}-ran-${call}`;

/** With bytes until there is no block, then with empty files until there is no name. */
function fill(): void {
  const most = [2 ** 20, ...Array.from({ length: 100 }, () => 0)];
  for (const [count, bytes] of most.entries()) written(join(dir, `fill-${count}`), bytes);
}

function written(file: string, bytes: number): void {
  try {
    writeFileSync(file, Buffer.alloc(bytes));
  } catch (error) {
    if (errnoOf(error) !== 'ENOSPC') throw error;
  }
}

function free(): void {
  for (const name of readdirSync(dir)) if (name.startsWith('fill-')) rmSync(join(dir, name));
}
