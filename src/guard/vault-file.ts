/** Files of the vault: private, whole or not there, never a link or a pipe. */
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

/** What is in a regular file, and what it is; null when nothing is there. Opening never waits and follows no link. */
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
    throw explained(error, file);
  }
}

/** Replaces a file in one step: readers and a power cut find the old content or the new. */
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
    throw explained(error, file);
  }
}

/** Makes a file that must not be there yet, with its folder: whole or not at all, and never in place of another. */
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
    throw explained(error, file);
  }
}

const temporaryFor = (file: string): string => `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;

/** One at a time, among all processes. The lock dies with its holder. */
export async function alone<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const database = locked(lock);
  try {
    return await work();
  } finally {
    database.close();
  }
}

function locked(lock: string): DatabaseSync {
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
    if (!/database is locked|SQLITE_BUSY/.test(messageOf(error))) throw explained(error, lock);
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

function explained(error: unknown, file: string): unknown {
  if (error instanceof OkaError) return error;
  const errno = errnoOf(error) ?? '';
  const say = (code: OkaError['code'], words: string, fix: string): OkaError =>
    new OkaError(code, `${file} ${words}`, { fix, cause: error });
  if (errno === 'ELOOP') return say('unsafe-file', 'is a symbolic link', 'Put the file itself there.');
  if (/^(?:EACCES|EPERM)$/.test(errno)) return say('not-permitted', 'is not open to this user', 'Look at its owner.');
  if (errno === 'EROFS') return say('not-permitted', 'is on a read-only file system', 'Mount it writable.');
  if (/^(?:ENOSPC|EDQUOT|EFBIG)$/.test(errno))
    return say(
      'disk-full',
      'could not be written: no space left; nothing was changed',
      'Free some space and try again.',
    );
  if (/^(?:ENOENT|ENOTDIR)$/.test(errno))
    return say('not-set-up', 'cannot be made: its folder is not there', 'Run: oka init');
  return errno === 'EEXIST' ? say('refused', 'is there already', 'Look at it first.') : error;
}
