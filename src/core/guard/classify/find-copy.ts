/** Owns: knowing a program of the system under another name: by where a link leads, and by its content. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { errnoOf } from '../../schema/errors.ts';
import { SYSTEM_FOLDERS } from './find-program.ts';

const MOST_BYTES = 256 * 1024 * 1024;
const ELF = '\x7fELF';

/** Gives the name of the program of the system that a file is a link to or a copy of; null for every other file. */
export function copyFinder(systemFolders: readonly string[] = SYSTEM_FOLDERS): (path: string) => string | null {
  let bySize: Map<number, string[]> | null = null;
  return (path) => {
    try {
      const real = realpathSync(path);
      const folders = new Set(systemFolders.flatMap((folder) => [folder, realOr(folder)]));
      if (folders.has(posix.dirname(real))) return posix.basename(real);
      const { size } = statSync(real);
      if (size > MOST_BYTES || !isProgram(real)) return null;
      bySize ??= programsBySize(systemFolders);
      const same = bySize.get(size)?.find((each) => readFileSync(each).equals(readFileSync(real)));
      return same === undefined ? null : posix.basename(same);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return null; // what cannot be read cannot be run
    }
  };
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // not there: it is compared by its name
  }
}

/** Scripts are judged by their text. */
function isProgram(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(ELF.length);
    readSync(file, start, 0, ELF.length, 0);
    return start.toString('latin1') === ELF;
  } finally {
    closeSync(file);
  }
}

function programsBySize(folders: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const folder of new Set(folders.map(realOr)))
    for (const name of namesIn(folder)) {
      const path = posix.join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() === true) found.set(stats.size, [...(found.get(stats.size) ?? []), path]);
    }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}
