/**
 * Owns: running one command and everything it starts. The only door to execa.
 * Does not own: what the command may touch (core/guard/command-rights.ts) and how that is enforced (sandbox-launch.ts). Without a sandbox a process
 * that makes a session of its own (setsid) outlives its command.
 *
 * C1 A command that fails, cannot be started or is stopped gives a result; nothing is thrown for it.
 * C2 It sees the environment it is given and nothing else, and an empty stdin.
 * C3 When the result is there, its process group is gone: SIGTERM, a short grace, SIGKILL. In a sandbox every process is.
 * C4 Memory is bounded by the limit, however much the command writes.
 */
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultPromise } from 'execa';
import type { Command } from '../../core/schema/command.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import { type SandboxLaunch, launchSandboxed } from './sandbox-launch.ts';
import { hiddenFailures, traceExits } from './exit-trace.ts';
import { type Captured, type Launched, notRun } from './launch-result.ts';

export type { Captured, Launched } from './launch-result.ts';

export type LaunchOptions = {
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs?: number;
  /** For each of stdout and stderr. */
  outputLimitBytes: number;
  /** A folder for temporary files; becomes TMPDIR. */
  scratch?: string;
  /** Is given what the command writes while it runs; for display, and it may be incomplete. */
  onOutput?: (chunk: Uint8Array) => void;
  /** Rules of the kernel, and a witness that outlives us. */
  sandbox?: SandboxLaunch;
};

const GRACE_MS = 500;
/** How long output may still come after the command itself has ended, as from `cmd > >(tee log)`. */
const LINGER_MS = 500;
const POLL_MS = 20;
const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

export async function launch(command: Command, options: LaunchOptions): Promise<Launched> {
  const [file = '', ...args] = 'argv' in command ? command.argv : [shell(), '-c', command.line];
  if (options.signal.aborted) return notRun({ how: 'not-begun' });
  if (args.some((text) => text.includes('\0'))) return notRun({ how: 'unstarted', problem: 'a NUL in an argument' });
  const { scratch } = options;
  if ('argv' in command || scratch === undefined) return start(file, args, options);
  const trace = traceExits(command.line, scratch);
  const done = await start(file, args, { ...options, env: { ...options.env, ...trace } });
  return { ...done, hidden: trace.BASH_ENV === undefined ? [] : hiddenFailures(command.line, scratch) };
}

function start(file: string, args: readonly string[], options: LaunchOptions): Promise<Launched> {
  if (options.sandbox !== undefined) return launchInSandbox([file, ...args], options, options.sandbox);
  return launchUnrestricted(file, args, options);
}

async function launchInSandbox(
  argv: readonly string[],
  options: LaunchOptions,
  jail: SandboxLaunch,
): Promise<Launched> {
  if (argv[0] === '' || argv[0]?.includes('\0')) return notRun({ how: 'unstarted', problem: 'ERR_INVALID_ARG_VALUE' });
  return launchSandboxed(argv, { ...options, env: buildEnvironment(options) }, jail);
}

async function launchUnrestricted(file: string, args: readonly string[], options: LaunchOptions): Promise<Launched> {
  const { execa } = await import('execa'); // 50 ms of start-up that only commands should pay
  const child = execa(file, args, execaSettings(options));
  const stdout = capture(child.stdout, options.outputLimitBytes);
  const stderr = capture(child.stderr, options.outputLimitBytes);
  const { onOutput } = options;
  if (onOutput !== undefined) for (const stream of [child.stdout, child.stderr]) stream.on('data', onOutput);
  const lingering = watchLeftovers(child);
  const result = await child;
  clearTimeout(lingering.timer);
  await endGroup(child.pid);
  return {
    exit: result.exitCode ?? null,
    signal: result.signal ?? null,
    ended: toEnd(result),
    stdout: stdout(),
    stderr: stderr(),
    ms: Math.round(result.durationMs),
    denied: false,
  };
}

function buildEnvironment({ env, scratch }: LaunchOptions): Record<string, string> {
  return scratch === undefined ? { ...env } : { ...env, TMPDIR: scratch };
}

function execaSettings(options: LaunchOptions) {
  const { cwd, signal, timeoutMs } = options;
  return {
    cwd,
    env: buildEnvironment(options),
    extendEnv: false,
    stdin: 'ignore',
    encoding: 'buffer',
    buffer: false,
    reject: false,
    killDescendants: true,
    forceKillAfterDelay: GRACE_MS,
    cancelSignal: signal,
    ...(timeoutMs === undefined ? {} : { timeout: Math.ceil(timeoutMs) }),
  } as const;
}

type Child = ResultPromise<ReturnType<typeof execaSettings>>;

function toEnd(result: Awaited<Child>): Launched['ended'] {
  if (result.isCanceled) return { how: 'aborted' };
  if (result.timedOut) return { how: 'timed-out' };
  if (result.exitCode !== undefined || result.signal !== undefined) return { how: 'itself' };
  return { how: 'unstarted', problem: result.code ?? result.originalMessage ?? 'unknown' };
}

/** Retains the first and the last half of the limit: the last bytes slide down whenever three halves are full. */
function capture(stream: Readable, limit: number): () => Captured {
  const half = Math.max(1, Math.floor(limit / 2));
  let kept = Buffer.alloc(Math.min(3 * half, 65_536));
  let length = 0;
  let slid = 0;
  const makeRoom = (): void => {
    if (kept.length < 3 * half) kept = Buffer.concat([kept], Math.min(3 * half, 2 * kept.length));
    else {
      kept.copyWithin(half, length - half, length);
      slid += length - 2 * half;
      length = 2 * half;
    }
  };
  stream.on('data', (chunk: Buffer) => {
    for (let done = 0; done < chunk.length; ) {
      if (length === kept.length) makeRoom();
      const copied = chunk.copy(kept, length, done);
      length += copied;
      done += copied;
    }
  });
  return () => {
    const excess = Math.max(0, length - 2 * half);
    const head = kept.subarray(0, Math.min(half, length));
    return { head, tail: kept.subarray(head.length + excess, length), omitted: slid + excess };
  };
}

/** A process in the background that has the output open would be waited for without end. */
function watchLeftovers(child: Child): { timer?: NodeJS.Timeout } {
  const lingering: { timer?: NodeJS.Timeout } = {};
  const letGo = async (): Promise<void> => {
    await endGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  };
  child.nodeChildProcess.once('exit', () => {
    lingering.timer = setTimeout(() => void letGo(), LINGER_MS);
  });
  return lingering;
}

async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined || !signalGroup(pid, 'SIGTERM')) return;
  for (let waited = 0; waited < GRACE_MS; waited += POLL_MS) {
    await sleep(POLL_MS);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, 'SIGKILL');
}

/** False when the group has no process left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH' || errnoOf(error) === 'EPERM') return false;
    throw error;
  }
}

function shell(): string {
  return SHELLS.find((file) => existsSync(file)) ?? '/bin/sh';
}
