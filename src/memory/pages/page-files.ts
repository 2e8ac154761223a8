/**
 * Owns: the files behind a page: the page itself, and what stood in its place before.
 *
 *    .oka/brain/TODOS.md                          the page
 *    .oka/brain/.replaced/TODOS.md.<id>           what a new page took the place of; somebody may still have it open
 *    .oka/brain/.replaced/TODOS.md.new            a page on its way into its place
 *    .oka/maintenance/pages/brain/TODOS.md/       texts of ours by stamp, and what was seen of files (`seen`, <id>.was)
 *
 * P1 What was replaced lies beside the page, on the same mount, so that taking it away and putting it back are renames.
 * P2 Only a regular file is read, up to a size; nothing that hangs is opened.
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
import { assertRegularFile, explained, lookAt } from '../../ledger/disk.ts';
import { errnoOf, OkaError } from '../../schema/errors.ts';

export type PagesFolder = {
  /** The folder .oka. */
  oka: string;
  /** What is remembered of pages: .oka/maintenance/pages. */
  kept: string;
  /** Hears of pages that are left alone, and why. */
  tell?: (line: string) => void;
  /** A page that was saved this recently may not be whole yet. */
  quietMs?: number;
  /** So long somebody may go on writing into a file that was replaced. */
  lateMs?: number;
};

export type Place = { file: string; hidden: string; name: string; kept: string };

const MOST_BYTES = 2_000_000;

export const placeOf = ({ oka, kept }: PagesFolder, page: string): Place => ({
  file: join(oka, page),
  hidden: join(oka, dirname(page), '.replaced'),
  name: basename(page),
  kept: join(kept, page),
});

/** Bytes of a file as they are; null when nothing is there. */
export function bytesOf(file: string): Buffer | null {
  assertRegularFile(file);
  const fd = opened(file);
  if (fd === null) return null;
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`, { fix: 'Move it away.' });
    const bytes = Buffer.alloc(Math.min(stats.size, MOST_BYTES) + 1);
    let length = 0;
    for (let more = 1; more > 0 && length < bytes.length; length += more)
      more = readSync(fd, bytes, length, bytes.length - length, length);
    if (length <= MOST_BYTES) return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
  throw new OkaError('refused', `${file} is larger than ${MOST_BYTES / 1e6} MB; it is left as it is`, {
    fix: 'Move what you keep there into a file of your own.',
  });
}

function opened(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw explained(error, file);
  }
}

export const sumOf = (bytes: Uint8Array): string => hash('sha256', bytes).slice(0, 24);

/** Changes with every save, and stays when a file gets another name; null when nothing is there. */
export function signatureOf(file: string): string | null {
  const found = lookAt(file);
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** Files that were replaced and are not given up yet, the oldest first. */
export function replacedIn({ hidden, name }: Place): string[] {
  return namesIn(hidden)
    .filter((each) => each.startsWith(`${name}.`) && ID.test(each.slice(name.length + 1)))
    .map((each) => each.slice(name.length + 1));
}

const ID = /^([0-9a-z]{9})-[0-9a-f]{8}$/;

export const newId = (now: number): string => `${now.toString(36).padStart(9, '0')}-${randomUUID().slice(0, 8)}`;
export const takenAt = (id: string): number => Number.parseInt(ID.exec(id)?.[1] ?? '0', 36);
export const replacedFile = ({ hidden, name }: Place, id: string): string => join(hidden, `${name}.${id}`);
export const newFile = ({ hidden, name }: Place): string => join(hidden, `${name}.new`);
export function giveUp(place: Place, id: string): void {
  rmSync(replacedFile(place, id), { force: true });
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw explained(error, folder);
  }
}

/** Gives a file a second name that nobody has; false when somebody has it. Where there are no links it is copied. */
export function linkNew(from: string, to: string, mode?: number): boolean {
  try {
    if (mode !== undefined) chmodSync(from, mode);
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? ''))
      throw explained(error, to);
  }
  return copyNew(from, to);
}

function copyNew(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw explained(error, to);
  }
}
