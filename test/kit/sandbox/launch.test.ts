import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../src/core/schema/command.ts';
import type { SandboxLaunch } from '../../../src/kit/sandbox/sandbox-launch.ts';
import { type Captured, launch, type LaunchOptions } from '../../../src/kit/sandbox/launch.ts';
import { canJail, jailPlaces, launcher, rightsFor, whyNot } from '../../support/launcher.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';
const textOf = ({ head, tail }: Captured): string => Buffer.concat([head, tail]).toString();

const ways: ('freely' | 'in a jail')[] = canJail ? ['freely', 'in a jail'] : ['freely'];
if (!canJail) it.skip(`the same in a jail${whyNot}`, () => undefined);

describe.each(ways)('%s', (way) => {
  const places = jailPlaces();
  afterAll(() => places[Symbol.dispose]());
  const folder = places.desk;
  const sandbox: SandboxLaunch = { launcher: launcher ?? '', rights: rightsFor(places, { class: 'write_local' }) };
  const start = (command: Command, options: Partial<LaunchOptions> = {}) =>
    launch(command, {
      cwd: folder,
      env: { PATH },
      signal: new AbortController().signal,
      outputLimitBytes: 100_000,
      ...(way === 'in a jail' ? { sandbox } : {}),
      ...options,
    });
  const pidIn = (name: string): Promise<number> => pidInFile(join(folder, name));

  it('shows what is written while the command runs', async () => {
    const seen: string[] = [];
    const done = await start(
      { line: 'echo early; echo hidden >&2; while [ ! -e go-on ]; do sleep 0.05; done; seq 1 20000' },
      {
        onOutput: (chunk) => {
          seen.push(Buffer.from(chunk).toString());
          if (seen.join('').includes('early')) writeFileSync(join(folder, 'go-on'), '');
        },
      },
    );
    expect(done).toMatchObject({ exit: 0 });
    expect(seen.join('')).toContain('early\n');
    expect(seen.join('')).toContain('hidden\n');
    expect(textOf(done.stdout).startsWith('early\n1\n2\n')).toBe(true);
    expect(textOf(done.stdout).endsWith('20000\n')).toBe(true);
  });

  describe('C1 a command gives a result, whatever becomes of it', () => {
    it('runs a program with its arguments as they are', async () => {
      const done = await start({ argv: ['printf', '%s|', 'a b', '$HOME', '*', ''] });
      expect(done).toMatchObject({ exit: 0, signal: null, ended: { how: 'itself' } });
      expect(textOf(done.stdout)).toBe('a b|$HOME|*||');
    });

    it('runs a line with the shell', async () => {
      const line = 'for i in 1 2 3; do echo "$i"; done | tac; echo oops >&2; exit 3';
      const done = await start({ line }, { scratch: places.scratch });
      expect(done).toMatchObject({ exit: 3, signal: null, ended: { how: 'itself' } });
      expect(textOf(done.stdout)).toBe('3\n2\n1\n');
      expect(textOf(done.stderr)).toBe('oops\n');
    });

    it('starts in its folder', async () => {
      expect(textOf((await start({ argv: ['pwd', '-P'] })).stdout)).toBe(`${folder}\n`);
    });

    it('says which signal ended it', async () => {
      const done = await start({ line: 'kill -SEGV $$' });
      expect(done).toMatchObject({ exit: null, signal: 'SIGSEGV', ended: { how: 'itself' } });
    });

    it.each<[string, Command, Partial<LaunchOptions>, string]>([
      ['a program that is not there', { argv: ['no-such-program'] }, {}, 'ENOENT'],
      ['a program that is a folder', { argv: ['/tmp'] }, {}, 'EACCES'],
      ['a folder that is not there', { argv: ['true'] }, { cwd: '/no/such/folder' }, 'ENOENT'],
      ['a NUL in an argument', { argv: ['echo', 'a\0b'] }, {}, 'a NUL in an argument'],
      ['a NUL in a line', { line: 'echo a\0b' }, {}, 'a NUL in an argument'],
      ['a NUL in the program', { argv: ['a\0b'] }, {}, 'ERR_INVALID_ARG_VALUE'],
      ['no argument at all', { argv: [] }, {}, 'ERR_INVALID_ARG_VALUE'],
      ['an argument that is too long', { argv: ['echo', 'x'.repeat(300_000)] }, {}, 'E2BIG'],
    ])('says that it could not start: %s', async (_, command, options, problem) => {
      expect(await start(command, options)).toMatchObject({ exit: null, ended: { how: 'unstarted', problem } });
    });
  });

  describe('C2 nothing comes in but what is given', () => {
    it('sees exactly its environment', async () => {
      const done = await start({ argv: ['env'] }, { env: { PATH, ONLY: 'this' } });
      expect(textOf(done.stdout).trim().split('\n').toSorted()).toEqual(['ONLY=this', `PATH=${PATH}`]);
    });

    it('finds programs along the PATH it is given, not along ours', async () => {
      expect(await start({ argv: ['env'] }, { env: { PATH: folder } })).toMatchObject({ ended: { problem: 'ENOENT' } });
    });

    it('has a scratch folder as TMPDIR', async () => {
      const done = await start({ line: 'echo "$TMPDIR"' }, { scratch: folder });
      expect(textOf(done.stdout)).toBe(`${folder}\n`);
    });

    it('reads an empty stdin', async () => {
      expect(await start({ argv: ['cat'] })).toMatchObject({ exit: 0 });
    });
  });

  describe('C3 nothing of its group is left', () => {
    it('when it is aborted: neither itself nor what it started', async () => {
      const control = new AbortController();
      const running = start(
        { line: 'sleep 1000 & echo $! > bg; echo $$ > self; sleep 1000' },
        { signal: control.signal },
      );
      const pids = await Promise.all([pidIn('bg'), pidIn('self')]);
      control.abort();
      expect(await running).toMatchObject({ ended: { how: 'aborted' } });
      await allGone(pids);
    });

    it('when it does not listen to SIGTERM', async () => {
      const control = new AbortController();
      const line =
        "trap '' TERM; (trap '' TERM; echo $BASHPID > deaf; while :; do sleep 1; done) >/dev/null 2>&1 & wait";
      const running = start({ line: `${line}; wait` }, { signal: control.signal });
      const pid = await pidIn('deaf');
      control.abort();
      expect(await running).toMatchObject({ ended: { how: 'aborted' }, signal: 'SIGKILL' });
      await allGone([pid]);
    });

    it('when its time is over', async () => {
      const done = await start({ line: 'echo $$ > slow; sleep 1000' }, { timeoutMs: 2000 });
      expect(done).toMatchObject({ ended: { how: 'timed-out' } });
      await allGone([await pidIn('slow')]);
    });

    it('when it ends well and leaves something that holds its output open', async () => {
      const done = await start({ line: 'sleep 1000 & echo $!' });
      expect(done).toMatchObject({ exit: 0, ended: { how: 'itself' } });
      await allGone([Number(textOf(done.stdout))]);
    });

    it('when it ends well and leaves something quiet', async () => {
      const done = await start({ line: 'sleep 1000 >/dev/null 2>&1 & echo $!' });
      expect(done).toMatchObject({ exit: 0 });
      await allGone([Number(textOf(done.stdout))]);
    });

    it('and output that comes right after the end is still taken', async () => {
      const done = await start({ line: 'echo late > >(cat)' });
      expect(textOf(done.stdout)).toBe('late\n');
    });

    it('and a process in a session of its own does not keep the result back; in a jail it is gone, too', async () => {
      const done = await start({ line: 'setsid sleep 1000 & echo $!' });
      expect(done).toMatchObject({ exit: 0 });
      const pid = Number(textOf(done.stdout));
      if (way === 'freely') process.kill(pid, 'SIGKILL');
      else expect(isAlive(pid)).toBe(false);
    });

    it('and nothing starts when it is aborted already', async () => {
      const done = await start({ line: 'touch started' }, { signal: AbortSignal.abort() });
      expect(done).toMatchObject({ exit: null, ended: { how: 'not-begun' } });
      expect(existsSync(join(folder, 'started'))).toBe(false);
    });
  });

  describe('C4 output beyond the limit is cut in the middle', () => {
    it('keeps head and tail and counts the rest', async () => {
      const { stdout, stderr } = await start({ line: 'seq 1 100000; echo short >&2' }, { outputLimitBytes: 20 });
      const total = 588_895;
      expect(stdout.head.toString()).toBe('1\n2\n3\n4\n5\n');
      expect(stdout.tail.toString()).toBe('99\n100000\n');
      expect(stdout.omitted).toBe(total - 20);
      expect(textOf(stderr)).toBe('short\n');
      expect(stderr.omitted).toBe(0);
    });

    it('loses nothing up to the limit, in pieces of any size', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 2, max: 400 }), fc.integer({ min: 0, max: 1500 }), async (limit, size) => {
          const line = `head -c ${size} /dev/zero | tr '\\0' x`;
          const { stdout } = await start({ line }, { outputLimitBytes: limit });
          const kept = stdout.head.length + stdout.tail.length;
          expect(kept + stdout.omitted).toBe(size);
          expect(kept).toBe(Math.min(size, 2 * Math.floor(limit / 2)));
        }),
        { numRuns: 15 },
      );
    });
  });
});

async function pidInFile(file: string): Promise<number> {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await sleep(10);
  }
}

/** A killed orphan is a zombie until its new parent has looked; that counts as gone. */
async function allGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) while (isAlive(pid)) await sleep(10);
}

function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/stat`;
  return existsSync(status) && !/\) [ZX] /.test(readIfThere(status));
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return error instanceof Error ? ') X ' : '';
  }
}
