import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { canJail, launcher, whyNot } from '../support/launcher.ts';

const folder = mkdtempSync(join(tmpdir(), 'oka-leftovers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MARK = 2 ** 40 + (Date.now() % 1_000_000_007);
const programs = ['/usr', '/bin', '/lib', '/lib64'].flatMap((path) => ['--run', path]);
const jailed = [...programs, '--read', '/proc', '--device', '/dev/null', '--write', folder];
let count = 0;

async function launched(rights: readonly string[], script: string, mark = MARK): Promise<ChildProcess> {
  const result = join(folder, `${(count += 1)}`);
  writeFileSync(`${result}.tmp`, '', { mode: 0o600 });
  const args = ['--result', result, '--cwd', folder, '--mark', String(mark), ...rights, '--', 'bash', '-c', script];
  const child = spawn(launcher ?? '', args, { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

/** A process in a session of its own, without the environment of its command, that has written its number. */
const escaping = (name: string): string =>
  `(env -i /usr/bin/setsid /bin/bash -c 'echo $$ > ${name}.tmp; mv ${name}.tmp ${name}; exec sleep 300' &) ; sleep 300`;

async function pidIn(name: string): Promise<number> {
  while (!existsSync(join(folder, name))) await sleep(10);
  return Number(readFileSync(join(folder, name), 'utf8'));
}

function isAlive(pid: number): boolean {
  const found = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return found !== '' && !found.startsWith('Z');
}

const endLeftovers = (mark: number) =>
  spawnSync(launcher ?? '', ['--end-leftovers', String(mark)], { encoding: 'utf8' });

async function killed(child: ChildProcess): Promise<void> {
  const over = once(child, 'exit');
  child.kill('SIGKILL');
  await over;
}

describe.skipIf(launcher === null)(`what a killed launcher left running${whyNot}`, () => {
  it.each<[string, string[]]>([
    ['without a jail', ['--open']],
    ...(canJail ? [['in the jail', jailed] as [string, string[]]] : []),
  ])('%s is found by its mark and ended', async (title, rights) => {
    const name = `pid ${title}`.replaceAll(' ', '-');
    const child = await launched(rights, escaping(name));
    const pid = await pidIn(name);
    await killed(child);
    expect(isAlive(pid)).toBe(true);
    expect(endLeftovers(MARK + 1)).toMatchObject({ status: 0, stdout: '0\n' });
    expect(isAlive(pid)).toBe(true);
    expect(endLeftovers(MARK)).toMatchObject({ status: 0, stdout: '1\n' });
    expect(isAlive(pid)).toBe(false);
  });

  it('is ended to the last process, also while it forks', async () => {
    const mark = MARK + 7;
    const child = await launched(
      ['--open'],
      `(setsid bash -c 'echo $$ > forks; for n in 1 2 3 4 5 6 7 8; do (while true; do sleep 0.01; done) & done; wait' &) ; sleep 300`,
      mark,
    );
    await pidIn('forks');
    await killed(child);
    const ended = endLeftovers(mark);
    expect(ended.status).toBe(0);
    expect(Number(ended.stdout)).toBeGreaterThan(1);
    expect(endLeftovers(mark).stdout).toBe('0\n');
  });

  it('a command whose launcher lives is left alone', async () => {
    const mark = MARK + 3;
    const child = await launched(['--open'], escaping('attended'), mark);
    const pid = await pidIn('attended');
    expect(endLeftovers(mark)).toMatchObject({ status: 0, stdout: '0\n' });
    expect(isAlive(pid)).toBe(true);
    const over = once(child, 'exit');
    child.kill('SIGTERM');
    await over;
    expect(isAlive(pid)).toBe(false);
  });

  it.skipIf(!canJail)('in the jail nobody takes the mark off, and everybody can read it', async () => {
    const script =
      'ulimit -x; ulimit -x 5 2>/dev/null; ulimit -Hx; ulimit -Hx 5 2>/dev/null; ulimit -x; ulimit -c 0 && echo other';
    const printed = async (rights: string[]): Promise<string[]> => {
      const child = await launched(rights, `{ ${script}; } > limits`);
      await once(child, 'exit');
      return readFileSync(join(folder, 'limits'), 'utf8').trim().split('\n');
    };
    expect(await printed(jailed)).toEqual([String(MARK), String(MARK), String(MARK), 'other']);
    expect((await printed(['--open'])).at(-2)).toBe('5');
  });
});

describe.skipIf(launcher === null)(`the lock of the desk${whyNot}`, () => {
  const lock = join(folder, 'desk.lock');
  const state = (patienceMs: number): number | null =>
    spawnSync(launcher ?? '', ['--await-lock', lock, '--timeout-ms', String(patienceMs)]).status;

  it('is free when there never was one, and taken while a command runs', async () => {
    expect(state(0)).toBe(78);
    const child = await launched(['--open', '--lock', lock], 'echo $$ > locked; sleep 300');
    await pidIn('locked');
    expect(state(0)).toBe(75);
    await killed(child);
    expect(state(5000)).toBe(0);
  });

  it('W6 a second command begins when the first is over', async () => {
    const first = await launched(
      ['--open', '--lock', lock],
      'echo $$ > one; while [ ! -e go ]; do sleep 0.02; done; date +%s%N > one.end',
    );
    await pidIn('one');
    const second = await launched(['--open', '--lock', lock], 'date +%s%N > two.begin');
    const over = Promise.all([once(first, 'exit'), once(second, 'exit')]);
    await sleep(200);
    writeFileSync(join(folder, 'go'), '');
    await over;
    const [end = '', begin = ''] = ['one.end', 'two.begin'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(BigInt(begin)).toBeGreaterThan(BigInt(end));
  });

  it('W5 one that is stopped while it waits has not begun', async () => {
    const first = await launched(['--open', '--lock', lock], 'echo $$ > three; sleep 300');
    await pidIn('three');
    const second = await launched(['--open', '--lock', lock], 'echo begun > never');
    const over = once(second, 'exit');
    await sleep(100);
    second.kill('SIGTERM');
    expect(await over).toEqual([70, null]);
    expect(existsSync(join(folder, 'never'))).toBe(false);
    await killed(first);
  });
});
