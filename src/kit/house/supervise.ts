/**
 * Owns: keeping processes alive: it starts them, watches their heartbeat, and starts them again. Loads nothing heavy.
 *
 * S1 A process that ends is started again after a pause that grows, and shrinks back when one has lasted.
 * S2 A process without a heartbeat hangs: it is killed, and S1 applies.
 * S3 One that refuses to start because of something a person has to fix is not started again: its exit code is ours,
 *    unless whoever supervises can wait until that is fixed (`untilFixed`).
 * S4 A secondary process ends with the others and never ends them: when it refuses to start, that is logged, no more.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { programFolder, supervisedEnvironment } from '../settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { pause } from '../pause.ts';

export type SupervisedProcess = {
  name: string;
  args: readonly string[];
  /** A script for Node; oka itself when left out. */
  script?: string;
  /** The others do not depend on it (S4). */
  isSecondary?: boolean;
};
export type Supervision = {
  home: Home;
  signal: AbortSignal;
  log: (line: string) => void;
  /** Lines that a process writes. */
  onLine: (name: string, line: string) => void;
  /** Called when a process refuses to start; resolves to true when it is to be tried again (S3). */
  untilFixed?: (signal: AbortSignal, log: (line: string) => void) => Promise<boolean>;
  /** Whether a process that ends well is to stay ended: it was asked to. */
  isOver?: () => boolean;
  patience?: Partial<Patience>;
};
type Patience = { firstPauseMs: number; longestPauseMs: number; lastedMs: number; silenceMs: number; graceMs: number };

const HEARTBEAT_MS = 2000;

const USUAL: Patience = {
  firstPauseMs: 1000,
  longestPauseMs: 60_000,
  lastedMs: 60_000,
  silenceMs: 60_000,
  graceMs: 10_000,
};
/** Exit codes that mean: something has to be fixed first. */
const REFUSALS = new Set([2, 3]);

/** Resolves to an exit code once it is stopped, or when nothing can be started. */
export async function supervise(processes: readonly SupervisedProcess[], supervision: Supervision): Promise<number> {
  const over = new AbortController();
  const until = { ...supervision, signal: AbortSignal.any([supervision.signal, over.signal]) };
  const secondary = processes
    .filter(({ isSecondary }) => isSecondary === true)
    .map((each) => superviseSecondary(each, until));
  const codes = await Promise.all(
    processes.filter(({ isSecondary }) => isSecondary !== true).map((each) => keepAlive(each, supervision)),
  );
  over.abort();
  await Promise.all(secondary);
  return Math.max(...codes);
}

async function superviseSecondary(it: SupervisedProcess, supervision: Supervision): Promise<void> {
  const code = await keepAlive(it, supervision);
  if (!supervision.signal.aborted) supervision.log(`${it.name} refuses to start (exit ${code}); the rest goes on`);
}

async function keepAlive(it: SupervisedProcess, supervision: Supervision): Promise<number> {
  const { signal, log } = supervision;
  const patience = { ...USUAL, ...supervision.patience };
  for (let ms = patience.firstPauseMs; ; ms = Math.min(2 * ms, patience.longestPauseMs)) {
    const startedAt = performance.now();
    const end = await runProcess(it, supervision, patience);
    if (signal.aborted || (end.code === 0 && supervision.isOver?.() === true)) return 0;
    if (REFUSALS.has(end.code ?? -1)) {
      const isFixed = (await supervision.untilFixed?.(signal, log)) === true;
      if (signal.aborted) return 0;
      if (!isFixed) return end.code ?? 1;
      continue;
    }
    if (performance.now() - startedAt > patience.lastedMs) ms = patience.firstPauseMs;
    log(`${it.name} ended (${end.how}); it is started again in ${Math.ceil(ms / 1000)} s`);
    await pause(ms, signal);
    if (signal.aborted) return 0;
  }
}

type End = { code: number | null; how: string };

/**
 * Unless told otherwise, Node lets the young garbage of a busy thread grow to 130 MB, and keeps that memory. With at most
 * 16 MB in the main thread the engine is as fast.
 */
export const NODE_FLAGS = ['--disable-sigusr1', '--max-semi-space-size=8'];

/** Other threads have smaller limits of their own, which the flag would override. The main thread has read it already. */
export const applyLimitsOfThreads = (): void => setFlagsFromString('--max-semi-space-size=0');

/** Runs a process once, from its start to its end. */
async function runProcess(
  it: SupervisedProcess,
  { home, signal, onLine }: Supervision,
  patience: Patience,
): Promise<End> {
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, it.script ?? join(programFolder, 'bin', 'oka'), ...it.args, '--dir', home.dir],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: supervisedEnvironment(),
      detached: true, // Ctrl-C reaches the supervisor alone, which stops everything in order
    },
  );
  const ended = endOf(child);
  const watch = watchOver(child, patience.silenceMs);
  forEachLine(child, (line) => onLine(it.name, line));
  const stop = (): void => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), patience.graceMs).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const end = await ended;
  watch.end();
  signal.removeEventListener('abort', stop);
  return watch.hung() ? { ...end, how: 'it did not answer any more and was killed' } : end;
}

function endOf(child: ChildProcess): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  child.once('error', (error) => resolve({ code: null, how: error.message }));
  child.once('close', (code, signal) => resolve({ code, how: signal === null ? `exit ${code}` : signal }));
  return promise;
}

/** Counts its own ticks instead of reading a clock: whoever was paused together with the child would find it silent. */
function watchOver(child: ChildProcess, silenceMs: number): { end: () => void; hung: () => boolean } {
  const tickMs = Math.min(silenceMs / 4, HEARTBEAT_MS);
  let silentTicks = 0;
  let hung = false;
  child.on('message', () => void (silentTicks = 0));
  const timer = setInterval(() => {
    silentTicks += 1;
    if (silentTicks * tickMs < silenceMs) return;
    hung = true;
    child.kill('SIGKILL');
  }, tickMs);
  return { end: () => clearInterval(timer), hung: () => hung };
}

function forEachLine(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
    stream?.on('end', () => {
      if (rest !== '') onLine(rest);
    });
  }
}

/** Called by a supervised process: reports that its event loop is alive. */
export function startHeartbeat(): NodeJS.Timeout {
  process.send?.('beat');
  return setInterval(() => process.send?.('beat'), HEARTBEAT_MS).unref();
}

/** Whether `oka up` has started this process. */
export const isSupervised = (): boolean => process.connected;
