/**
 * Owns: the locks of commands that may change a part of the desk only. Like the lock of the desk (desk-lock.ts), one is
 * the launcher's while the command runs, and its file stays until this is known to be over.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { resultFile } from './result-file.ts';

/** `folder` is that of the results of calls. */
export const callLockFile = (folder: string, call: string): string =>
  resultFile(folder, call).replace(/result$/, 'lock');

/** Those that somebody has, or had when a process was killed. */
export function callLocks(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(folder, name));
}

export function dropCallLock(folder: string, call: string): void {
  rmSync(callLockFile(folder, call), { force: true });
}
