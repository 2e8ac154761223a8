/**
 * Owns: the pen of a ledger, a kernel lock that dies with its holder (L2).
 * The lock is an SQLite file held in an exclusive transaction; it is refused to a second process at once, also from
 * another container on this host. The note beside it only says who holds it; it decides nothing.
 */
import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, messageOf, OkaError } from '../schema/errors.ts';
import { assertRegularFile, describeErrno, makeFolder, replaceFile } from './disk.ts';

export type Holder = { pid: number; host: string; since: string };
export type PenLock = { release(): void };

/** Long enough to sit out another process that only looks whether the pen is held. */
const LOCK_TIMEOUT_MS = 200;

export function takePen(ledgerFile: string, now: number): PenLock {
  const lock = lockFile(ledgerFile);
  makeFolder(dirname(lock));
  assertRegularFile(lock);
  const database = lockDatabase(lock);
  if (database === null) throw penIsTaken(ledgerFile);
  const release = (): void => {
    if (!database.isOpen) return;
    rmSync(holderFile(lock), { force: true });
    database.close();
  };
  try {
    const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(now).toISOString() };
    replaceFile(holderFile(lock), `${JSON.stringify(holder)}\n`);
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Who holds the pen right now, or null. Asks the kernel, not the note. */
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

function lockDatabase(lock: string): DatabaseSync | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(lock, { timeout: LOCK_TIMEOUT_MS });
    accessSync(lock, constants.W_OK); // on a file it may only read SQLite would take a shared lock and say nothing
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
  return new OkaError(
    'pen-held',
    `${ledgerFile} is being written by process ${holder.pid} on ${holder.host} since ${holder.since}`,
    {
      fix: 'Let that one work, or stop it first. Only one worker writes a ledger.',
    },
  );
}

function readHolder(lock: string): Holder {
  const unknown: Holder = { pid: 0, host: 'an unknown host', since: 'an unknown time' };
  try {
    return { ...unknown, ...(JSON.parse(readFileSync(holderFile(lock), 'utf8')) as Partial<Holder>) };
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
  const code = readOnly ? 'EACCES' : /disk is full/.test(message) ? 'ENOSPC' : errnoOf(error);
  return describeErrno(Object.assign(new Error(message, { cause: error }), { code }), lock);
}

function lockFile(ledgerFile: string): string {
  return join(dirname(ledgerFile), 'locks', `${basename(ledgerFile, '.jsonl')}.lock`);
}

function holderFile(lock: string): string {
  return `${lock}.holder.json`;
}
