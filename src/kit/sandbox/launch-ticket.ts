/**
 * Owns: the ticket of a command, the file that its launcher locks, marks and turns into the result; and what the folder
 * of the tickets can be asked.
 * Does not own: locking and marking it (native/main.c).
 *
 * T1 A launcher starts nothing without an empty ticket, and marks it before the command starts.
 * T2 A ticket without the mark is claimed under the launcher's lock: nothing began, and nothing can any more.
 * T3 No ticket and no result: no launcher was started. Nothing else takes them away before the outcome is durable.
 * T4 None of this is flushed, so what is missing, a mark or a file, is meaningful only in the environment that the call was
 *    started in: the same folder, on a machine that has not been rebooted since.
 */
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { temporaryName } from './result-file.ts';
import { pause } from '../pause.ts';

type Claim =
  /** There is no ticket. */
  | 'none'
  /** The command may have started, and runs no more. */
  | 'begun'
  /** It had not started, and cannot any more. */
  | 'unbegun'
  | 'running'
  /** The launcher could not be asked. */
  | 'unknown';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const SPACE_POLL_MS = 1000;
const BOOT = '/proc/sys/kernel/random/boot_id';
const NAME = 'ground';
const IS_NAME = /^[0-9a-f-]{36}$/;
/** Stays the same in the lifetime of this process. */
let thisBoot: string | null = null;
const CLAIMS: Readonly<Record<number, Claim>> = { 0: 'begun', 75: 'running', 77: 'unbegun', 78: 'none' };

/** Null when the ticket is there; else why not. On a full disk it waits for space, until the signal. */
export async function makeTicket(launcher: string, file: string, signal: AbortSignal): Promise<string | null> {
  for (;;) {
    const problem = createEmpty(temporaryName(file));
    if (problem === 'EEXIST') {
      // one of an attempt under the same name, which nobody was to remember
      const left = await claimTicket(launcher, file, 0);
      if (left === 'running' || left === 'unknown') return `a ticket of this name is ${left}`;
      if (left === 'begun') await rm(temporaryName(file), { force: true });
    } else if (problem === null || !isAboutSpace(problem)) return problem;
    else await pause(SPACE_POLL_MS, signal);
    if (signal.aborted) return problem;
  }
}

/**
 * Waits for a launcher that is at work; afterwards it can start nothing more. When `signal` is aborted, the launcher is
 * asked to end its command, and is still waited for.
 */
export async function claimTicket(
  launcher: string,
  file: string,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<Claim> {
  if (!isThere(temporaryName(file))) return 'none';
  const args = ['--await', file, '--timeout-ms', String(Math.max(0, Math.ceil(patienceMs)))];
  const child = spawn(launcher, args, { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => undefined); // it has ended, which 'close' reports
  const stop = (): void => void child.stdin.write('s');
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  signal?.removeEventListener('abort', stop);
  return (code === null ? undefined : CLAIMS[code]) ?? 'unknown';
}

/** Identifies the folder and the boot (T4); null where they cannot be distinguished from others. The folder gets a name if it has none; for want of space it throws. */
export function launchEnvironment(folder: string): string | null {
  const file = join(folder, NAME);
  try {
    const boot = (thisBoot ??= readTrimmed(BOOT));
    const name = readTrimmed(file);
    return boot === '' ? null : `${boot} ${IS_NAME.test(name) ? name : writeFolderName(file)}`;
  } catch (error) {
    if (isAboutSpace(errnoOf(error))) throw error;
    return null;
  }
}

export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function createEmpty(file: string): string | null {
  try {
    closeSync(openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    return null;
  } catch (error) {
    return errnoOf(error) ?? String(error);
  }
}

function writeFolderName(file: string): string {
  const name = randomUUID();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const handle = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    writeFileSync(handle, `${name}\n`);
  } finally {
    closeSync(handle);
  }
  return name;
}

/** Empty when it is not there. */
function readTrimmed(file: string): string {
  try {
    return readFileSync(file, { encoding: 'utf8', flag: O_RDONLY | O_NOFOLLOW | O_NONBLOCK }).trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function isAboutSpace(errno: string | undefined): boolean {
  return errno === 'ENOSPC' || errno === 'EDQUOT';
}
