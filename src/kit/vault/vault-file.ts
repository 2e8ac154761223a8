/**
 * Owns: reading and writing the files of the vault: private, written atomically, never a link or a pipe.
 * Does not own: how a complete file is written (core/ledger/disk.ts, which is passed in as a `FileWriter`).
 */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { FileWriter } from '../../core/schema/ports.ts';

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

/** Replaces a file atomically and durably: readers, also after a power cut, find the old content or the new. */
export function replacePrivate(writer: FileWriter, file: string, bytes: Uint8Array): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw notPlain(file);
  try {
    writer.replace(file, bytes, { durable: true, mode: 0o600 });
  } catch (error) {
    throw describeErrno(error, file);
  }
}

/** Creates a file that must not exist yet, and its folder: completely or not at all, and never replacing another file. */
export function createPrivate(writer: FileWriter, file: string, bytes: Uint8Array): void {
  try {
    writer.create(file, bytes, { durable: true, mode: 0o600, folderMode: 0o700 });
  } catch (error) {
    throw describeErrno(error, file);
  }
}

/** Runs `work` while no other process does. The lock is released if its process dies. */
export async function withLock<T>(lock: string, work: () => Promise<T>, what = 'changing the secrets'): Promise<T> {
  const database = openLock(lock, what);
  try {
    return await work();
  } finally {
    database.close();
  }
}

function openLock(lock: string, what: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
    const found = lstatSync(lock, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw notPlain(lock);
    closeSync(openSync(lock, 'a', 0o600)); // SQLite would create it with a wider mode
    database = new DatabaseSync(lock, { timeout: PATIENCE_MS });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (!/database is locked|SQLITE_BUSY/.test(messageOf(error))) throw describeErrno(error, lock);
    throw new OkaError('refused', `another process is ${what} right now`, {
      fix: 'Try again.',
      cause: error,
    });
  }
}

function notPlain(file: string): OkaError {
  return new OkaError('unsafe-file', `${file} is not a regular file`, { fix: 'Move it away and start again.' });
}

function describeErrno(error: unknown, file: string): unknown {
  const errno = errnoOf(error instanceof OkaError ? error.cause : error) ?? '';
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
