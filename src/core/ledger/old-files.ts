/** Finding and removing old files: links are never followed, and what is young stays. */
import { readdirSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../schema/errors.ts';
import { lstatIfPresent } from './disk.ts';

/** Checked again right before it is removed. Null when it stays. */
export function removeOld(file: string, before: number, isDry: boolean): number | null {
  const found = lstatIfPresent(file);
  if (found?.isFile() !== true || found.mtimeMs >= before) return null;
  if (!isDry) unlinkSync(file);
  return found.size;
}

/** None in what is not a folder itself. */
export function namesIn(folder: string): string[] {
  try {
    return lstatIfPresent(folder)?.isDirectory() === true ? readdirSync(folder) : [];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
