/** Owns: reading and writing the files of the vault: private, written atomically, never a link or a pipe. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, messageOf, OkaError } from '../schema/errors.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const PATIENCE_MS = 10_000;

/** Content and status of a regular file; null if it does not exist. Opening never blocks and follows no link. */
export function readPlain(file: string): { bytes: Buffer; stats: Stats } | null {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > MOST_BYTES) throw notPlain(file);
      return { bytes: readFileSync(fd), stats };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw describeErrno(error, file);
  }
}

/** Replaces a file atomically: readers, also after a power cut, find the old content or the new. */
export function replacePrivate(file: string, bytes: Uint8Array): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw notPlain(file);
  const temporary = temporaryFor(file);
  try {
    writeNew(temporary, bytes);
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw describeErrno(error, file);
  }
}

/** Creates a file that must not exist yet, and its folder: completely or not at all, and never replacing another file. */
export function createPrivate(file: string, bytes: Uint8Array): void {
  const folder = dirname(file);
  const temporary = temporaryFor(file);
  try {
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (first !== undefined) syncFolder(dirname(first));
    writeNew(temporary, bytes);
    linkSync(temporary, file);
    rmSync(temporary);
    syncFolder(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw describeErrno(error, file);
  }
}

const temporaryFor = (file: string): string => `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;

/** Runs `work` while no other process does. The lock is released if its process dies. */
export async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const database = openLock(lock);
  try {
    return await work();
  } finally {
    database.close();
  }
}

function openLock(lock: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(lock), { recursive: true });
    const found = lstatSync(lock, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw notPlain(lock);
    database = new DatabaseSync(lock, { timeout: PATIENCE_MS });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (!/database is locked|SQLITE_BUSY/.test(messageOf(error))) throw describeErrno(error, lock);
    throw new OkaError('refused', 'another process is changing the secrets right now', {
      fix: 'Try again.',
      cause: error,
    });
  }
}

function writeNew(file: string, bytes: Uint8Array): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function notPlain(file: string): OkaError {
  return new OkaError('unsafe-file', `${file} is not a regular file`, { fix: 'Move it away and start again.' });
}

function describeErrno(error: unknown, file: string): unknown {
  if (error instanceof OkaError) return error;
  const errno = errnoOf(error) ?? '';
  const errorFor = (code: OkaError['code'], words: string, fix: string): OkaError =>
    new OkaError(code, `${file} ${words}`, { fix, cause: error });
  if (errno === 'ELOOP') return errorFor('unsafe-file', 'is a symbolic link', 'Put the file itself there.');
  if (/^(?:EACCES|EPERM)$/.test(errno))
    return errorFor('not-permitted', 'is not accessible to this user', 'Check its owner.');
  if (errno === 'EROFS') return errorFor('not-permitted', 'is on a read-only file system', 'Mount it writable.');
  if (/^(?:ENOSPC|EDQUOT|EFBIG)$/.test(errno))
    return errorFor(
      'disk-full',
      'could not be written: no space left; nothing was changed',
      'Free some space and try again.',
    );
  if (/^(?:ENOENT|ENOTDIR)$/.test(errno))
    return errorFor('not-set-up', 'cannot be created: its folder does not exist', 'Run: oka init');
  return errno === 'EEXIST' ? errorFor('refused', 'already exists', 'Check it first.') : error;
}
