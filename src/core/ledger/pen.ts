/**
 * Owns: the pen of a ledger, an exclusive writer lock that the kernel releases when its process dies (L2).
 * The lock is an SQLite file in an exclusive transaction; a second process is refused at once, also from another
 * container on this host. A file next to it names the owner, for people only.
 */
import { accessSync, constants, readFileSync, rmSync, type Stats } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, messageOf, OkaError } from '../schema/errors.ts';
import {
  assertRegularFile,
  describeErrno,
  isSameFile,
  lstatIfPresent,
  makeFolder,
  replaceFile,
  writeProblem,
  touchPrivate,
} from './disk.ts';

/** `brief`: it does one thing and ends, so that others may wait for it. */
export type Holder = { pid: number; host: string; since: string; brief?: true };
export type PenLock = {
  release(): void;
  /** Throws when somebody removed or replaced the lock file: another process could take the pen, too. */
  assertOwned(): void;
};

/** Long enough to wait for another process that only checks whether the pen is taken. */
const LOCK_TIMEOUT_MS = 200;

export function takePen(ledgerFile: string, now: number, isBrief = false): PenLock {
  const lock = lockFile(ledgerFile);
  makeFolder(dirname(lock));
  assertRegularFile(lock);
  const database = lockDatabase(lock);
  if (database === null) throw penIsTaken(ledgerFile);
  const locked = lstatIfPresent(lock);
  const isOwned = (): boolean => isStillThere(locked, lock);
  const release = (): void => {
    if (!database.isOpen) return;
    if (isOwned()) rmSync(holderFile(lock), { force: true }); // else it names another owner
    database.close();
  };
  const assertOwned = (): void => {
    if (!isOwned()) throw lockIsGone(lock);
  };
  try {
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      since: new Date(now).toISOString(),
      ...(isBrief && { brief: true }),
    };
    rmSync(holderFile(lock), { force: true }); // of a process that was killed: ext4 writes to disk what replaces a file
    replaceFile(holderFile(lock), `${JSON.stringify(holder)}\n`);
    return { release, assertOwned };
  } catch (error) {
    release();
    throw error;
  }
}

/** The process that owns the pen right now, or null. Asks the kernel, not the file that names the owner. */
export function penHolder(ledgerFile: string): Holder | null {
  const lock = lockFile(ledgerFile);
  try {
    const database = new DatabaseSync(lock, { readOnly: true, timeout: 0 });
    try {
      database.exec('BEGIN; SELECT count(*) FROM sqlite_master; COMMIT');
      return null;
    } finally {
      database.close();
    }
  } catch (error) {
    return isBusy(error) ? readHolder(lock) : null;
  }
}

/** The open file keeps its inode in use, so another file cannot have the same number. */
function isStillThere(locked: Stats | undefined, lock: string): boolean {
  const there = lstatIfPresent(lock);
  return locked !== undefined && there !== undefined && isSameFile(locked, there);
}

function lockIsGone(lock: string): OkaError {
  return new OkaError('ledger-replaced', `${lock} was removed or replaced while it was locked`, {
    fix: 'Nothing was written since. Start again, and leave the files in .oka/locks alone while oka runs.',
  });
}

function lockDatabase(lock: string): DatabaseSync | null {
  let database: DatabaseSync | undefined;
  try {
    touchPrivate(lock);
    database = new DatabaseSync(lock, { timeout: LOCK_TIMEOUT_MS });
    accessSync(lock, constants.W_OK); // on a read-only file SQLite would silently take a shared lock
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw describeLockError(error, lock);
  }
}

function penIsTaken(ledgerFile: string): OkaError {
  const holder = readHolder(lockFile(ledgerFile));
  return new OkaError('pen-held', `${ledgerFile} is being written by ${nameOf(holder)}`, {
    fix: 'Use that one, or stop it first: only one process at a time may write a ledger.',
  });
}

/** A process that has just taken the pen has not written its name yet. */
const nameOf = ({ pid, host, since }: Holder): string =>
  pid === 0 ? 'another process, which has just begun' : `process ${pid} on ${host} since ${since}`;

function readHolder(lock: string): Holder {
  // Whoever has just taken the pen has not said yet how long it stays: others look again.
  const unknown: Holder = { pid: 0, host: 'an unknown host', since: 'an unknown time', brief: true };
  try {
    const { brief: _, ...nameless } = unknown;
    return { ...nameless, ...(JSON.parse(readFileSync(holderFile(lock), 'utf8')) as Partial<Holder>) };
  } catch {
    return unknown;
  }
}

function isBusy(error: unknown): boolean {
  return /database is locked|SQLITE_BUSY/.test(messageOf(error));
}

function describeLockError(error: unknown, lock: string): unknown {
  const message = messageOf(error);
  const readOnly = /unable to open|readonly|attempt to write/.test(message);
  const code = readOnly
    ? (errnoOf(writeProblem(lock)) ?? 'EACCES')
    : /disk is full/.test(message)
      ? 'ENOSPC'
      : errnoOf(error);
  return describeErrno(Object.assign(new Error(message, { cause: error }), { code }), lock);
}

function lockFile(ledgerFile: string): string {
  return join(dirname(ledgerFile), 'locks', `${basename(ledgerFile, '.jsonl')}.lock`);
}

function holderFile(lock: string): string {
  return `${lock}.holder.json`;
}
