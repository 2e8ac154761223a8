/** Reading the files of a home whose processes are at work: files are replaced and removed meanwhile. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../src/core/schema/errors.ts';

/** The paths of those files below the folder whose bytes, read as Latin-1, fit; what is gone by then is left out. */
export function filesWhere(folder: string, fits: (text: string) => boolean): string[] {
  return namesBelow(folder)
    .map((name) => join(folder, name))
    .filter((file) => {
      const text = textOf(file);
      return text !== null && fits(text);
    });
}

/** Looks again when a folder was removed while it was read. */
function namesBelow(folder: string): string[] {
  for (;;)
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' });
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
}

/** Null for what is no file, or is gone. */
function textOf(path: string): string | null {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'latin1') : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
