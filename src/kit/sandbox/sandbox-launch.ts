/**
 * Owns: running a command through the launcher.
 * Does not own: what the launcher does (native/), what the kernel offers for it (probe-kernel.ts), which rights a command
 *    gets (core/guard/command-rights.ts).
 *
 * J1 The launcher alone controls the command: it captures the output, enforces the time limit and ends every process that
 *    is left. We only ask it to stop and read its result file, so the command is not affected if we die.
 * J2 A launcher that ends without its record leaves its command in doubt: it may have done all of it, a part or nothing.
 *    Only a ticket without a mark says that nothing began.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rights } from '../../core/guard/command-rights.ts';
import { type DeskLock, endLeftovers } from './desk-lock.ts';
import { type Launched, notRun } from './launch-result.ts';
import { shownFile, watchShown } from './shown-output.ts';
import { dropResult, readResult, resultFile } from './result-file.ts';
import { claimTicket, makeTicket } from './launch-ticket.ts';
import { type LauncherEnd, runLauncher } from './launch-server.ts';

export type SandboxLaunch = {
  /** Path of native/oka-launch. */
  launcher: string;
  /** Null: no rules, but still a witness, and an end for whatever it starts. */
  rights: Rights | null;
  /** Where the result stays until `forgetWitness`; without it only this process can know how it ended. */
  state?: { folder: string; call: string };
  /** The lock that a writing command needs, and the mark of everything it starts. */
  desk?: DeskLock;
};

type SandboxedOptions = {
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs?: number;
  outputLimitBytes: number;
  onOutput?: (chunk: Uint8Array) => void;
};

/** What the launcher exits with when the command was started and its result is lost; else it was not started. */
const LOST = 74;
const MAX_MS = 2_147_483_647;
const MOST_TRIES = 3;
/** Ending what is left gives up after five seconds; where hundreds of processes keep the machine busy that is too soon. */
const MOST_ENDINGS = 10;
const BETWEEN_ENDINGS_MS = 200;

export async function launchSandboxed(
  argv: readonly string[],
  options: SandboxedOptions,
  jail: SandboxLaunch,
): Promise<Launched> {
  const { folder, call, own } = await prepareState(jail);
  const file = resultFile(folder, call);
  try {
    const { onOutput } = options;
    const show = onOutput === undefined ? [] : ['--show', shownFile(file)];
    using _ = onOutput === undefined ? null : watchShown(shownFile(file), onOutput);
    const args = [...launcherOptions(file, options, jail), ...show, '--', ...argv];
    const end = await startWithTicket(jail.launcher, args, file, options);
    if (end === null) return notRun({ how: 'not-begun' });
    if (typeof end === 'string') return notRun({ how: 'unstarted', problem: end });
    const result = readResult(file) ?? (await withoutResult(end, file, options.signal.aborted, jail));
    return { ...result, denied: result.denied && jail.rights !== null };
  } finally {
    if (own) {
      await dropResult(file);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function prepareState({ state }: SandboxLaunch): Promise<{ folder: string; call: string; own: boolean }> {
  if (state === undefined) return { folder: await mkdtemp(join(tmpdir(), 'oka-call-')), call: 'call', own: true };
  mkdirSync(state.folder, { recursive: true, mode: 0o700 });
  return { ...state, own: false };
}

function launcherOptions(file: string, options: SandboxedOptions, { rights, desk }: SandboxLaunch): string[] {
  const { timeoutMs, cwd, outputLimitBytes } = options;
  return [
    ...toOptions({ result: file, cwd, output: outputLimitBytes }),
    ...(timeoutMs === undefined ? [] : toOptions({ 'timeout-ms': Math.min(Math.ceil(timeoutMs), MAX_MS) })),
    ...(desk === undefined ? [] : toOptions({ mark: desk.mark, lock: desk.file ?? [] })),
    ...(rights === null ? ['--open'] : rightsAsOptions(rights)),
  ];
}

export function rightsAsOptions({ read, run, devices, write, connect, limits }: Rights): string[] {
  const { fileBytes, cpuSeconds, openFiles, processes, memoryBytes } = limits;
  return [
    ...toOptions({ read, run, device: devices, write, connect }),
    ...toOptions({
      'file-bytes': fileBytes,
      'cpu-seconds': cpuSeconds,
      'open-files': openFiles,
      processes,
      'memory-bytes': memoryBytes,
    }),
  ];
}

function toOptions(values: Readonly<Record<string, string | number | readonly (string | number)[]>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => [`--${name}`, String(each)]),
  );
}

/** How the launcher ended; a problem if there is no ticket; null if it was stopped before. */
async function startWithTicket(
  launcher: string,
  args: readonly string[],
  file: string,
  { env, signal }: SandboxedOptions,
): Promise<LauncherEnd | string | null> {
  for (let tries = 1; ; tries += 1) {
    const problem = await makeTicket(launcher, file, signal);
    if (signal.aborted) return null;
    if (problem !== null) return problem;
    rmSync(file, { force: true }); // left by an attempt under the same name: it must not be mistaken for the result of this one
    const end = await runLauncher(launcher, args, env, signal);
    if (end !== null) return end;
    // The process that starts launchers was killed (L2 in launch-server.ts): the launcher is waited for, if it was started.
    const hasBegun = (await claimTicket(launcher, file, MAX_MS, signal)) !== 'unbegun';
    if (hasBegun || tries === MOST_TRIES)
      return { code: hasBegun ? LOST : null, signal: null, stderr: 'the process that starts commands was killed' };
  }
}

/** The launcher itself failed. Unless it says that nothing was started, something may have been. */
async function withoutResult(
  { code, signal, stderr }: LauncherEnd,
  file: string,
  aborted: boolean,
  { launcher, desk }: SandboxLaunch,
): Promise<Launched> {
  const problem = stderr.trim();
  const isStarted = signal !== null || code === LOST;
  if (aborted && (signal === 'SIGTERM' || !isStarted)) return notRun({ how: 'not-begun' });
  if (!isStarted) return notRun({ how: 'unstarted', problem: problem || `launcher: ${code}` });
  if (desk !== undefined) await endAllLeftovers(launcher, desk.mark);
  if (signal !== null && (await claimTicket(launcher, file, 0)) === 'unbegun')
    return notRun({ how: 'unstarted', problem: `its launcher was ended by ${signal} before it began` });
  return notRun({ how: 'unseen', problem: problem || `its launcher was ended by ${signal ?? 'somebody'}` });
}

async function endAllLeftovers(launcher: string, mark: number): Promise<void> {
  for (let tries = 1; (await endLeftovers(launcher, mark)) === null && tries < MOST_ENDINGS; tries += 1)
    await sleep(BETWEEN_ENDINGS_MS);
}
