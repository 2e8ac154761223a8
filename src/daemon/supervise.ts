/**
 * Owns: keeping processes alive: started, watched by their heartbeat, started again. Loads nothing heavy.
 *
 * S1 A process that ends is started again after a pause that grows, and shrinks back when one has lasted.
 * S2 A process without a heartbeat hangs: it is killed, and S1 holds.
 * S3 One that refuses to start because of what a person has to mend is not started again: its exit code is ours.
 * S4 One that is kept beside the others ends with them and never ends them: that it refuses is told, no more.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFolder } from './settings.ts';
import type { Home } from '../schema/home.ts';

export type Kept = {
  name: string;
  args: readonly string[];
  /** A script for Node; oka itself when left out. */
  script?: string;
  /** S4. */
  isBeside?: boolean;
};
export type Supervision = {
  home: Home;
  signal: AbortSignal;
  tell: (line: string) => void;
  /** Lines that a process writes. */
  said: (name: string, line: string) => void;
  patience?: Partial<Patience>;
};
type Patience = { firstPauseMs: number; longestPauseMs: number; lastedMs: number; silenceMs: number; graceMs: number };

export const HEARTBEAT_MS = 2000;

const USUAL: Patience = {
  firstPauseMs: 1000,
  longestPauseMs: 60_000,
  lastedMs: 60_000,
  silenceMs: 60_000,
  graceMs: 10_000,
};
/** Exit codes that say: mend something first. */
const REFUSALS = new Set([2, 3]);

/** Resolves to an exit code when told to stop, or when nothing can be started. */
export async function supervise(kept: readonly Kept[], supervision: Supervision): Promise<number> {
  const over = new AbortController();
  const until = { ...supervision, signal: AbortSignal.any([supervision.signal, over.signal]) };
  const beside = kept.filter(({ isBeside }) => isBeside === true).map((each) => keepBeside(each, until));
  const codes = await Promise.all(
    kept.filter(({ isBeside }) => isBeside !== true).map((each) => keepAlive(each, supervision)),
  );
  over.abort();
  await Promise.all(beside);
  return Math.max(...codes);
}

async function keepBeside(kept: Kept, supervision: Supervision): Promise<void> {
  const code = await keepAlive(kept, supervision);
  if (!supervision.signal.aborted) supervision.tell(`${kept.name} refuses to start (exit ${code}); the rest goes on`);
}

async function keepAlive(kept: Kept, supervision: Supervision): Promise<number> {
  const { signal, tell } = supervision;
  const patience = { ...USUAL, ...supervision.patience };
  for (let pause = patience.firstPauseMs; ; pause = Math.min(2 * pause, patience.longestPauseMs)) {
    const begun = performance.now();
    const end = await lived(kept, supervision, patience);
    if (signal.aborted) return 0;
    if (REFUSALS.has(end.code ?? -1)) return end.code ?? 1;
    if (performance.now() - begun > patience.lastedMs) pause = patience.firstPauseMs;
    tell(`${kept.name} ended (${end.how}); it is started again in ${Math.ceil(pause / 1000)} s`);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return 0;
  }
}

type End = { code: number | null; how: string };

/** One life of a process. */
async function lived(kept: Kept, { home, signal, said }: Supervision, patience: Patience): Promise<End> {
  const child = spawn(
    process.execPath,
    [kept.script ?? join(programFolder, 'bin', 'oka'), ...kept.args, '--dir', home.dir],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true, // Ctrl-C reaches the supervisor alone, which stops everything in order
    },
  );
  const ended = endOf(child);
  const watch = watchOver(child, patience.silenceMs);
  forEachLine(child, (line) => said(kept.name, line));
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

function watchOver(child: ChildProcess, silenceMs: number): { end: () => void; hung: () => boolean } {
  let heard = performance.now();
  let hung = false;
  child.on('message', () => void (heard = performance.now()));
  const timer = setInterval(
    () => {
      if (performance.now() - heard < silenceMs) return;
      hung = true;
      child.kill('SIGKILL');
    },
    Math.min(silenceMs / 4, HEARTBEAT_MS),
  );
  return { end: () => clearInterval(timer), hung: () => hung };
}

function forEachLine(child: ChildProcess, tell: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) tell(line);
    });
    stream?.on('end', () => {
      if (rest !== '') tell(rest);
    });
  }
}

/** Called by a process that is kept: tells that its event loop turns. */
export function beat(): NodeJS.Timeout {
  process.send?.('beat');
  return setInterval(() => process.send?.('beat'), HEARTBEAT_MS).unref();
}
