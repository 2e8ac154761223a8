/**
 * Owns: files in .oka/approvals, as far as the disk is concerned.
 *
 * F1 The folder is a real one and ours, or nothing is written to it or read from it. It stays open while it is used,
 *    so that a folder swapped for a link in between leads nowhere (without /proc there is a gap between check and use).
 * F2 A page is written whole or not at all, and never through a name that somebody else has made.
 * F3 Only a regular file of ours with one name is read, and only up to a size; nothing that hangs is opened.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { writeNewFile } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';

export type Folder = {
  /** Differs between two states of a file; null when nothing is there. */
  stampOf: (name: string) => string | null;
  /** Returns the stamp of what was written. */
  write: (name: string, text: string) => string | null;
  /** Throws an OkaError that says why it is not read. */
  read: (name: string, most: number) => string;
  remove: (name: string) => void;
  names: () => string[];
};

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;
const BY_DESCRIPTOR = existsSync('/proc/self/fd');
const OTHERS_MAY_WRITE = 0o002;
const ROOT = 0;

export function inFolder<T>(path: string, act: (folder: Folder) => T): T {
  const fd = openFolder(path);
  try {
    const problem = problemOf(fstatSync(fd));
    if (problem !== null) throw new OkaError('unsafe-file', `${path} ${problem}`);
    return act(folderAt((name) => join(BY_DESCRIPTOR ? `/proc/self/fd/${fd}` : path, name)));
  } finally {
    closeSync(fd);
  }
}

function openFolder(path: string): number {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  if (lstatSync(path).isSymbolicLink()) throw new OkaError('unsafe-file', `${path} is a symbolic link, not a folder`);
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
}

function folderAt(at: (name: string) => string): Folder {
  const stampOf = (name: string): string | null => {
    const found = lstatSync(at(name), { throwIfNoEntry: false, bigint: true });
    return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.nlink}`;
  };
  const remove = (name: string): void => rmSync(at(name), { force: true, recursive: true });
  return {
    stampOf,
    remove,
    write: (name, text) => {
      const temporary = `.${name}.tmp`;
      remove(temporary);
      writeNewFile(at(temporary), text, { mode: 0o600 });
      if (lstatSync(at(name), { throwIfNoEntry: false })?.isDirectory() === true) remove(name);
      renameSync(at(temporary), at(name));
      return stampOf(name);
    },
    read: (name, most) => readOurs(at(name), most),
    names: () => readdirSync(at('')),
  };
}

function readOurs(path: string, most: number): string {
  if (!lstatSync(path).isFile()) throw new OkaError('unsafe-file', 'it is not a regular file');
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    const problem = stats.isFile() ? problemOf(stats) : 'is not a regular file';
    if (problem !== null) throw new OkaError('unsafe-file', `it ${problem}`);
    if (stats.nlink !== 1) throw new OkaError('unsafe-file', 'it has a second name (a hard link)');
    if (stats.size > most) throw new OkaError('unsafe-file', `it is larger than ${most} bytes`);
    const bytes = Buffer.alloc(stats.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, stats.size, 0));
  } finally {
    closeSync(fd);
  }
}

function problemOf({ uid, mode }: Stats): string | null {
  const me = process.geteuid?.() ?? uid;
  if (uid !== me && uid !== ROOT) return `belongs to uid ${uid}, not to ${me}`;
  return (mode & OTHERS_MAY_WRITE) === 0 ? null : 'can be written by everybody';
}
