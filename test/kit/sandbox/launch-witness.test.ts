import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { launch } from '../../../src/kit/sandbox/launch.ts';
import type { Captured, Launched } from '../../../src/kit/sandbox/launch-result.ts';
import { readResult, resultFile, temporaryName } from '../../../src/kit/sandbox/result-file.ts';
import { forgetWitness, tidyWitnesses, readWitness } from '../../../src/kit/sandbox/launch-witness.ts';
import { jailPlaces, launcher as built } from '../../support/launcher.ts';

const places = jailPlaces();
afterAll(() => places[Symbol.dispose]());
const launcher = built ?? '';
const folder = join(places.oka, 'state', 'calls');
mkdirSync(folder);
const seen = (call: string, patienceMs = 20_000) => readWitness(folder, call, { launcher, patienceMs });
const textOf = ({ head, tail }: Captured): string => Buffer.concat([head, tail]).toString();

describe.skipIf(built === null)('a launcher outlives its worker', () => {
  it('and tells how the command ended and what it wrote', async () => {
    const line = 'echo $$ > pid; echo early; while [ ! -e go ]; do sleep 0.01; done; echo late; echo oops >&2; exit 3';
    const worker = startWorker('outlived', line);
    await fileWith('pid');
    await killed(worker);
    writeFileSync(join(folder, 'go'), '');
    const found = (await seen('outlived')) as Launched;
    expect(found).toMatchObject({ exit: 3, signal: null, ended: { how: 'itself' } });
    expect([textOf(found.stdout), textOf(found.stderr)]).toEqual(['early\nlate\n', 'oops\n']);
  });

  it('is known to be at work by its lock, for as long as it is', async () => {
    const worker = startWorker('at-work', 'echo $$ > pid2; while [ ! -e go2 ]; do sleep 0.01; done; echo over');
    await fileWith('pid2');
    expect(await seen('at-work', 0)).toBe('running');
    await killed(worker);
    expect(await seen('at-work', 50)).toBe('running');
    writeFileSync(join(folder, 'go2'), '');
    expect(await seen('at-work')).toMatchObject({ exit: 0 });
  });

  it('keeps the time itself', async () => {
    const worker = startWorker('slow', 'echo $$ > pid3; sleep 1000', 1500);
    const pid = Number(await fileWith('pid3'));
    await killed(worker);
    expect(await seen('slow')).toMatchObject({ ended: { how: 'timed-out' }, signal: 'SIGTERM' });
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('W2 does not start the command when the worker is gone already', async () => {
    const file = resultFile(folder, 'orphan');
    writeFileSync(temporaryName(file), '');
    const code = await exitOf(start(['--result', file, '--parent', '1', '--open', '--', 'touch', join(folder, 'ran')]));
    expect(code).toBe(76);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    expect(await seen('orphan')).toBe(null);
  });

  it('that is killed itself takes the command along, and nobody knows', async () => {
    const child = startWithTicket('killed', 'sh', '-c', 'echo $$ > pid4; exec sleep 1000');
    const pid = Number(await fileWith('pid4'));
    await killed(child);
    expect(await seen('killed')).toBe(null);
    while (existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(10);
  });
});

describe.skipIf(built === null)('a result', () => {
  it('stays until it is forgotten', async () => {
    await launched('kept', 'echo kept');
    expect(textOf(((await seen('kept')) as Launched).stdout)).toBe('kept\n');
    await forgetWitness(folder, 'kept');
    expect(await seen('kept')).toBe(null);
    await forgetWitness(folder, 'kept');
  });

  it('of an earlier attempt is not taken for that of a later one', async () => {
    await launched('again', 'echo one');
    const child = startWithTicket('again', 'sh', '-c', 'echo $$ > pid5; exec sleep 1000');
    await fileWith('pid5');
    expect(await seen('again', 0)).toBe('running');
    child.kill('SIGTERM');
    await exitOf(child);
    expect(await seen('again')).toMatchObject({ ended: { how: 'aborted' }, signal: 'SIGTERM' });
  });

  it('is written by one launcher at a time', async () => {
    const child = startWithTicket('once', 'sh', '-c', 'echo $$ > pid6; exec sleep 1000');
    await fileWith('pid6');
    expect(await exitOf(start(['--result', resultFile(folder, 'once'), '--open', '--', 'true']))).toBe(70);
    child.kill('SIGTERM');
    await exitOf(child);
  });

  it('that a power cut tore is none', async () => {
    await launched('torn', 'seq 1000');
    const file = resultFile(folder, 'torn');
    for (const size of [1000, 100, 10, 0]) {
      truncateSync(file, size);
      expect(readResult(file)).toBe(null);
    }
  });

  it('without the output is better than none when there is no room', async () => {
    const file = resultFile(folder, 'full');
    writeFileSync(temporaryName(file), '');
    // a limit on the size of files stands for a full disk
    const line = `ulimit -f 1; exec "$0" --result "$1" --open -- sh -c 'seq 10000; exit 4'`;
    const child = spawn('bash', ['-c', line, launcher, file], { stdio: 'ignore' });
    expect(await exitOf(child)).toBe(0);
    expect(await seen('full')).toMatchObject({ exit: 4, stdout: { head: Buffer.alloc(0), omitted: 48_894 } });
  });

  it('is not looked for behind a link', async () => {
    symlinkSync('/etc/passwd', resultFile(folder, 'link'));
    await expect(seen('link')).rejects.toThrow(/not a regular file/);
    symlinkSync(join(folder, 'elsewhere'), temporaryName(resultFile(folder, 'linked')));
    expect(await exitOf(start(['--result', resultFile(folder, 'linked'), '--open', '--', 'true']))).toBe(70);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  it('has a name of its own, whatever the call is called', () => {
    const names = ['run/node#1', 'run/node%1', 'run_node', 'a b', 'a\nb', 'ä', '..x'.slice(1)];
    const files = names.slice(0, 6).map((name) => resultFile(folder, name));
    expect(new Set(files).size).toBe(6);
    expect(files.every((file) => file.startsWith(`${folder}/`) && !file.slice(folder.length + 1).includes('/'))).toBe(
      true,
    );
    for (const bad of ['', '.', '..', '.hidden', 'x'.repeat(300)])
      expect(() => resultFile(folder, bad)).toThrow(/name/);
  });
});

it('tidying takes what is two days old and leaves the rest', async () => {
  const heap = join(places.dir, 'heap');
  expect(await tidyWitnesses(heap, Date.now())).toBe(0);
  mkdirSync(heap);
  const now = Date.now();
  for (const [name, days] of [
    ['old.result', 3],
    ['old.result.tmp', 3],
    ['new.result', 1],
    ['other', 3],
  ] as const) {
    writeFileSync(join(heap, name), '');
    const at = now / 1000 - days * 86_400;
    utimesSync(join(heap, name), at, at);
  }
  expect(await tidyWitnesses(heap, now)).toBe(2);
  expect(readdirSync(heap).toSorted()).toEqual(['new.result', 'other']);
});

it('tidying leaves what belongs to a run that is not over, however far the clock was set forward', async () => {
  const heap = join(places.dir, 'open-heap');
  mkdirSync(heap);
  const files = [
    resultFile(heap, 'pay.n1.1.1'),
    `${resultFile(heap, 'pay.n2.1.1')}.tmp`,
    resultFile(heap, 'payment.n1.1.1'),
  ];
  for (const file of files) writeFileSync(file, '');
  const later = Date.now() + 30 * 86_400_000;
  expect(await tidyWitnesses(heap, later, ['pay'])).toBe(1);
  expect(readdirSync(heap).toSorted()).toEqual(['pay.n1.1.1.result', 'pay.n2.1.1.result.tmp']);
  expect(await tidyWitnesses(heap, later, [])).toBe(2);
});

it('tidying takes the oldest beyond a bound, and never what is younger than a day', { timeout: 120_000 }, async () => {
  const heap = join(places.dir, 'high-heap');
  mkdirSync(heap);
  const now = Date.now();
  const first = join(heap, '0.result.tmp');
  writeFileSync(first, '');
  for (let count = 1; count < 10_000; count += 1) linkSync(first, join(heap, `${count}.result.tmp`)); // many files, made quickly
  for (const name of ['old', 'older']) {
    writeFileSync(join(heap, `${name}.result.tmp`), '');
    utimesSync(join(heap, `${name}.result.tmp`), now / 1000, now / 1000 - 1.5 * 86_400);
  }
  expect(await tidyWitnesses(heap, now)).toBe(2);
  expect(readdirSync(heap)).toHaveLength(10_000);
});

it('without a launcher a call that may still run is one that nobody saw', async () => {
  writeFileSync(temporaryName(resultFile(folder, 'unseen')), '');
  expect(await readWitness(folder, 'unseen', { launcher: '/no/such/launcher', patienceMs: 1 })).toBe(null);
  expect(await readWitness(folder, 'never', { launcher: '/no/such/launcher', patienceMs: 1 })).toBe(null);
});

function startWorker(call: string, line: string, timeoutMs = 20_000): ChildProcess {
  const script = join(import.meta.dirname, '../../support/launch-worker.ts');
  return spawn(process.execPath, [script, launcher, folder, call, String(timeoutMs), line], { stdio: 'ignore' });
}

/** A launcher as a worker starts it: with the ticket that it made. */
function startWithTicket(call: string, ...command: string[]): ChildProcess {
  const file = resultFile(folder, call);
  writeFileSync(temporaryName(file), '', { flag: 'wx' });
  return start(['--result', file, '--cwd', folder, '--open', '--', ...command]);
}

function start(args: readonly string[]): ChildProcess {
  return spawn(launcher, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
}

async function launched(call: string, line: string): Promise<void> {
  const sandbox = { launcher, rights: null, state: { folder, call } };
  const signal = new AbortController().signal;
  await launch({ line }, { cwd: folder, env: { PATH: '/usr/bin:/bin' }, signal, outputLimitBytes: 10_000, sandbox });
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return new Promise((resolve) => child.once('exit', resolve));
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await exitOf(child);
}

async function fileWith(name: string): Promise<string> {
  const file = join(folder, name);
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return text;
    await sleep(10);
  }
}
