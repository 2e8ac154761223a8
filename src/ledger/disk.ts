/** Files that must be whole or not there: temp, rename, and fsync where a power cut matters. */
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, messageOf, OkaError, type OkaErrorCode } from '../schema/errors.ts';
import type { Flush } from '../schema/ports.ts';

export const diskFlush: Flush = { now: fdatasyncSync, later: promisify(fdatasync) };

export type WriteOptions = { durable?: boolean; mode?: number };

/** Replaces `file` in one step. Readers see the old content or the new, never a part. */
export function replaceFile(file: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeNew(temporary, content, options);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw explained(error, file);
  }
  if (options.durable) syncFolder(dirname(file));
}

function writeNew(file: string, content: string | Uint8Array, options: WriteOptions): void {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, options.mode ?? 0o644);
  try {
    writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
    if (options.durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** One write is usually enough; a short one is continued. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function makeFolder(folder: string): void {
  try {
    const first = mkdirSync(folder, { recursive: true });
    if (first !== undefined) syncFolder(dirname(first));
  } catch (error) {
    throw explained(error, folder);
  }
}

/** Refuses anything but a regular file, without opening it: opening a FIFO would hang. */
export function assertRegularFile(file: string): void {
  const found = lookAt(file);
  if (found === undefined || found.isFile()) return;
  const what = found.isSymbolicLink()
    ? 'a symbolic link'
    : found.isFIFO()
      ? 'a pipe'
      : found.isDirectory()
        ? 'a folder'
        : 'a special file';
  throw new OkaError('unsafe-file', `${file} is ${what}; a regular file belongs there`, {
    fix: 'Move it away and start again.',
  });
}

/** What is there, links not followed; undefined when nothing is. */
export function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw explained(error, file);
  }
}

/** Changes with every replacement of a file; one that cannot be looked at is known by why. */
export function stampOf(file: string): string {
  try {
    const found = lookAt(file);
    return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Turns an errno into words a person can act on. */
export function explained(error: unknown, path: string): unknown {
  const uid = process.getuid?.() ?? 'UID';
  const notPermitted = [
    'not-permitted',
    `${path} is not open to this user (uid ${uid})`,
    `Give it to this user: sudo chown -R ${uid} ${dirname(path)} && chmod -R u+rwX ${dirname(path)}`,
  ] as const;
  const noSpace = ['disk-full', `no space left for ${path}`, 'Free some space; work goes on by itself.'] as const;
  const notThere = ['not-set-up', `${path} is not there`, 'Run: oka init'] as const;
  const known: Record<string, readonly [OkaErrorCode, string, string]> = {
    EACCES: notPermitted,
    EPERM: notPermitted,
    EROFS: ['not-permitted', `${path} is on a read-only file system`, 'Mount it writable.'],
    ENOSPC: noSpace,
    EDQUOT: noSpace,
    ENOENT: notThere,
    ENOTDIR: notThere,
    ELOOP: ['unsafe-file', `${path} is a symbolic link; a regular file belongs there`, 'Move it away and start again.'],
  };
  const words = known[errnoOf(error) ?? ''];
  return words === undefined ? error : new OkaError(words[0], words[1], { fix: words[2], cause: error });
}

/** What SQLite says when a file is not, or no longer, the database it was. */
export function isDamagedDatabase(error: unknown): boolean {
  return /malformed|not a database|disk image|no such (?:table|column)/.test(messageOf(error));
}
