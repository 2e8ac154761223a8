/**
 * Owns: the files of a page: the page itself, and the files it replaced.
 *
 *    .oka/brain/TODOS.md                          the page
 *    .oka/brain/.replaced/TODOS.md.<id>           a replaced page; an editor may still have it open
 *    .oka/brain/.replaced/TODOS.md.new            a page that is about to be put into place
 *    .oka/maintenance/pages/brain/TODOS.md/       generated texts by stamp, and the state of files (`seen`, <id>.was)
 *
 * P1 Replaced files are stored next to the page, on the same mount, so that moving a page away and back are renames.
 * P2 Only regular files up to a size are read; nothing that could block is opened.
 */
import { hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { assertRegularFile, describeErrno, lstatIfPresent } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';

export type PagesFolder = {
  /** The folder .oka. */
  oka: string;
  /** The state of pages: .oka/maintenance/pages. */
  state: string;
  /** Logs pages that are left alone, and why. */
  log?: (line: string) => void;
  /** A page that was saved this recently may be incomplete. */
  quietMs?: number;
  /** How long an editor may still write to a file that was replaced. */
  lateMs?: number;
};

export type PagePlace = { file: string; hidden: string; name: string; state: string };

const MAX_BYTES = 2_000_000;

export const pagePlace = ({ oka, state }: PagesFolder, page: string): PagePlace => ({
  file: join(oka, page),
  hidden: join(oka, dirname(page), '.replaced'),
  name: basename(page),
  state: join(state, page),
});

/** Reads the bytes of a file; null when it does not exist. */
export function readPageBytes(file: string): Buffer | null {
  assertRegularFile(file);
  const fd = openPage(file);
  if (fd === null) return null;
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`, { fix: 'Move it away.' });
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_BYTES) + 1);
    let length = 0;
    for (let more = 1; more > 0 && length < bytes.length; length += more)
      more = readSync(fd, bytes, length, bytes.length - length, length);
    if (length <= MAX_BYTES) return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
  throw new OkaError('refused', `${file} is larger than ${MAX_BYTES / 1e6} MB; it was left unchanged`, {
    fix: 'Move your notes into a file of your own.',
  });
}

function openPage(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw describeErrno(error, file);
  }
}

export const checksumOf = (bytes: Uint8Array): string => hash('sha256', bytes).slice(0, 24);

/** Changes with every save and survives a rename; null when the file does not exist. */
export function signatureOf(file: string): string | null {
  const found = lstatIfPresent(file);
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** Replaced files that are still stored, the oldest first. */
export function listReplaced({ hidden, name }: PagePlace): string[] {
  return listNames(hidden)
    .filter((each) => each.startsWith(`${name}.`) && ID.test(each.slice(name.length + 1)))
    .map((each) => each.slice(name.length + 1));
}

const ID = /^([0-9a-z]{9})-[0-9a-f]{8}$/;

export const newId = (now: number): string => `${now.toString(36).padStart(9, '0')}-${randomUUID().slice(0, 8)}`;
export const replacedAt = (id: string): number => Number.parseInt(ID.exec(id)?.[1] ?? '0', 36);
export const replacedFile = ({ hidden, name }: PagePlace, id: string): string => join(hidden, `${name}.${id}`);
export const pendingFile = ({ hidden, name }: PagePlace): string => join(hidden, `${name}.new`);
export function removeReplaced(place: PagePlace, id: string): void {
  rmSync(replacedFile(place, id), { force: true });
}

export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw describeErrno(error, folder);
  }
}

/** Gives a file a second name if that is free, and returns whether it was. Copies where links are not supported. */
export function linkIfFree(from: string, to: string, mode?: number): boolean {
  try {
    if (mode !== undefined) chmodSync(from, mode);
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? ''))
      throw describeErrno(error, to);
  }
  return copyIfFree(from, to);
}

function copyIfFree(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw describeErrno(error, to);
  }
}
