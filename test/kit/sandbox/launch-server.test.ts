import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { launch } from '../../../src/kit/sandbox/launch.ts';
import { runLauncher } from '../../../src/kit/sandbox/launch-server.ts';
import { resultFile, temporaryName } from '../../../src/kit/sandbox/result-file.ts';
import { jailPlaces, launcher as built } from '../../support/launcher.ts';

const places = jailPlaces();
afterAll(() => places[Symbol.dispose]());
const launcher = built ?? '';
const folder = join(places.oka, 'state', 'calls');
mkdirSync(folder);
const env = { PATH: '/usr/bin:/bin' };
const { signal } = new AbortController();

describe.skipIf(built === null)('the process that starts launchers', () => {
  it('L1 is started once, and starts any number of them at the same time', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    const done = await Promise.all(calls.map((call) => run(call, `echo ${call}; exit 3`)));
    expect(done.map(({ exit, stdout }) => `${exit} ${stdout.head.toString()}`)).toEqual(
      calls.map((call) => `3 ${call}\n`),
    );
    expect(serversOf(process.pid)).toHaveLength(1);
  });

  it('L1 that was killed is replaced, also when its end has not been noticed yet', async () => {
    await run('before', 'true');
    for (const each of serversOf(process.pid)) process.kill(each, 'SIGKILL');
    expect(await run('after', 'exit 4')).toMatchObject({ exit: 4 });
  });

  it('L2 that is killed while a command runs does not change how the command ends', async () => {
    const running = run('outlived', 'echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done; echo late; exit 5');
    await fileWith('pid');
    await endServers(process.pid);
    writeFileSync(join(folder, 'go'), '');
    const done = await running;
    expect(done).toMatchObject({ exit: 5, ended: { how: 'itself' } });
    expect(done.stdout.head.toString()).toBe('late\n');
  });

  it.each(['before', 'after'])(
    'L2 that is killed does not matter for a request to stop that comes %s its end',
    async (when) => {
      const stopping = new AbortController();
      const running = run(`stopped-${when}`, `echo $$ > pid-${when}; sleep 1000`, stopping.signal);
      const pid = Number(await fileWith(`pid-${when}`));
      if (when === 'before') stopRightBefore(stopping, serversOf(process.pid));
      else await endServers(process.pid);
      stopping.abort();
      expect(await running).toMatchObject({ ended: { how: 'aborted' } });
      expect(isAlive(pid)).toBe(false);
    },
  );

  it('L2 that is killed together with a launcher leaves it in doubt, and what the launcher left is gone', async () => {
    const running = run('doubt', 'echo $$ > pid2; sleep 1000');
    const pid = Number(await fileWith('pid2'));
    const launchers = serversOf(process.pid).flatMap(childrenOf);
    expect(launchers).toHaveLength(1);
    await endServers(process.pid);
    for (const each of launchers) process.kill(each, 'SIGKILL');
    expect(await running).toMatchObject({ exit: null, ended: { how: 'unseen' } });
    while (isAlive(pid)) await sleep(10);
  });

  it('does not keep a process from ending that waits for no command', async () => {
    const worker = startWorker('alone', 'true');
    expect(await exitOf(worker)).toBe(0);
  });

  it('ends with its worker, and the command goes on', async () => {
    const worker = startWorker('left', 'echo $$ > pid3; sleep 1000');
    const pid = Number(await fileWith('pid3'));
    const servers = serversOf(worker.pid ?? 0);
    expect(servers).toHaveLength(1);
    worker.kill('SIGKILL');
    for (const each of servers) while (isAlive(each)) await sleep(10);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('leaves the signals of its group to the worker', async () => {
    await run('first', 'true');
    const [server] = serversOf(process.pid);
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(server ?? 0, each);
    expect(await run('second', 'trap "exit 6" TERM; kill -TERM $$; sleep 10')).toMatchObject({ exit: 6 });
    expect(serversOf(process.pid)).toEqual([server]);
  });

  it('W2 starts no command for a worker that is gone', () => {
    const file = resultFile(folder, 'orphan');
    writeFileSync(temporaryName(file), '');
    const args = ['--result', file, '--worker', '3', '--open', '--', 'touch', join(folder, 'ran')];
    const startWith = (worker: string) =>
      spawnSync('bash', ['-c', `${worker}; "$0" "$@"; code=$?; kill $! 2>/dev/null; exit $code`, launcher, ...args]);
    expect(startWith('exec 3< <(:); wait $!').status).toBe(76);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    expect(startWith('exec 3< <(sleep 1000)').status).toBe(0);
    expect(existsSync(join(folder, 'ran'))).toBe(true);
  });

  it('says why a launcher cannot be started', async () => {
    const end = (path: string, args: string[], more = {}) => runLauncher(path, args, { ...env, ...more }, signal);
    const problem = (stderr: string) => ({ code: null, signal: null, stderr });
    expect(await end('/no/such/launcher', [])).toEqual(problem('ENOENT'));
    expect(await end(folder, [])).toEqual(problem('EACCES'));
    expect(await end(launcher, ['x'.repeat(300_000)])).toEqual(problem('E2BIG'));
    expect(await end(launcher, [], { A: 'a\0b' })).toEqual(problem('ERR_INVALID_ARG_VALUE'));
    expect(await end(launcher, ['--nonsense'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('nonsense') as string,
    });
  });
});

/** The server is paused, so that it does not carry out the request, and killed. */
function stopRightBefore(stopping: AbortController, servers: readonly number[]): void {
  for (const each of servers) process.kill(each, 'SIGSTOP');
  stopping.abort();
  for (const each of servers) process.kill(each, 'SIGKILL');
}

function run(call: string, line: string, stopping: AbortSignal = signal) {
  const desk = { file: null, mark: 2 ** 40 + process.pid };
  const sandbox = { launcher, rights: null, state: { folder, call }, desk };
  return launch({ line }, { cwd: folder, env, signal: stopping, outputLimitBytes: 10_000, sandbox });
}

function startWorker(call: string, line: string): ChildProcess {
  const script = join(import.meta.dirname, '../../support/launch-worker.ts');
  return spawn(process.execPath, [script, launcher, folder, call, '20000', line], { stdio: 'ignore' });
}

function childrenOf(pid: number): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
  return listed.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Servers of the launcher under test: another test file in this process may have started the prebuilt one. */
function serversOf(pid: number): number[] {
  return childrenOf(pid).filter((each) => {
    const file = `/proc/${each}/cmdline`;
    return existsSync(file) && readFileSync(file, 'utf8').startsWith(`${launcher}\0--serve`);
  });
}

async function endServers(pid: number): Promise<void> {
  for (const each of serversOf(pid)) {
    process.kill(each, 'SIGKILL');
    while (isAlive(each)) await sleep(5);
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}

async function fileWith(name: string): Promise<string> {
  for (;;) {
    const file = join(folder, name);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return text;
    await sleep(10);
  }
}
