/**
 * Owns: the lock of a desk, which the launcher of a writing command has while the command runs, and the mark of a desk, by
 * which processes are recognised whose launcher was killed.
 * Does not own: locking and marking (native/main.c, native/leftovers.c).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { errnoOf } from '../../core/schema/errors.ts';

export type DeskLock = {
  /** The file that is locked; null for a command that does not write to the desk. */
  file: string | null;
  /** The mark of everything the command starts. */
  mark: number;
};

type LockState = 'free' | 'taken' | 'unknown';

const MARK_BYTES = 6;
/** No limit that anybody would set is as large. */
const SMALLEST_MARK = 2 ** 40;
const IN_USE = 75;
const NO_FILE = 78;

/** Stays the same when the home is moved. */
export function markOf(desk: string): number {
  const { dev, ino } = statSync(desk, { bigint: true });
  return SMALLEST_MARK + createHash('sha256').update(`${dev} ${ino}`).digest().readUIntBE(0, MARK_BYTES);
}

/** Waits until no launcher has the lock, at most for this long. */
export async function awaitLock(launcher: string, file: string, patienceMs: number): Promise<LockState> {
  if (isMissing(file)) return 'free'; // the launcher would say the same
  const { code } = await ask(launcher, ['--await-lock', file, '--timeout-ms', String(Math.ceil(patienceMs))]);
  if (code === 0 || code === NO_FILE) return 'free';
  return code === IN_USE ? 'taken' : 'unknown';
}

/** Kills what a launcher that was killed left alive. How many there were; null when some cannot be killed, or none be found. */
export async function endLeftovers(launcher: string, mark: number): Promise<number | null> {
  const { code, output } = await ask(launcher, ['--end-leftovers', String(mark)]);
  return code === 0 ? Number(output) : null;
}

function isMissing(file: string): boolean {
  try {
    statSync(file);
    return false;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

async function ask(launcher: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(launcher, args, { env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
  const output = text(child.stdout);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  return { code, output: code === null ? '' : await output };
}
