/**
 * Owns: opening the SQLite database of a fold store: for its one writer, for a reader, or in memory.
 * Does not own: what is stored in it (fold-store.ts), nor who may write (the caller has the lock).
 *
 * 1. A database is of exactly one version. Another version, a damaged file and a file of somebody else count the same:
 *    everything in it can be folded from the ledgers again.
 * 2. Opening never waits for a pipe and follows no symbolic link.
 * 3. A reader sees the file as it was when it was opened, however much its writer writes.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf, OkaError } from '../schema/errors.ts';
import { assertRegularFile, describeErrno, isDamagedDatabase, makeFolder, touchPrivate } from './disk.ts';

/** The stored rows are damaged, of another version, or about other ledgers: they have to be folded again. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
}

export type DatabaseShape = {
  /** Names everything that decides about the contents; a file of another version is recreated. */
  version: string;
  /** Only reads rows that are there under each word of its version, whatever else the file has; never writes a file. */
  isPart?: boolean;
  /**
   * Within a transaction `get` gives the very value that was put, and it is written out once, at the end: for folds that
   * change a value only to put it again under its key.
   */
  sharesRows?: boolean;
  /** Whether there are texts that are found by their words (text-index.ts). */
  hasTexts?: boolean;
  /** What SQLite may keep of the file in memory. */
  cacheKb?: number;
  /** SQL that creates tables of the caller's own, besides rows and cursors. */
  tables?: string;
};

export type Database = { db: DatabaseSync; prepare(sql: string): StatementSync };

export const IN_MEMORY = ':memory:';

const TABLES = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE cursor (pen TEXT PRIMARY KEY, seq INTEGER, hash TEXT) WITHOUT ROWID;
CREATE TABLE row (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
`;

const BUSY_MS = 5000;
const CACHE_KB = 16_000;

/** Pages in the write-ahead log before they are copied into the file: a page that changes often is copied less often. */
const CHECKPOINT_PAGES = 4000;

/** Raised whenever the tables below change. */
const FORMAT = 1;

/** Opens a file for its one writer. One that is not of this version is replaced by an empty one. */
export function openForWriting(file: string, shape: DatabaseShape): Database {
  try {
    return openWritable(file, shape);
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    removeDatabase(file);
    return openWritable(file, shape);
  }
}

/**
 * Opens a file that somebody else may be writing. Null when there is nothing to read: the ledgers have it all.
 * Without a shape, a file of any version is opened.
 */
export function openForReading(file: string, shape: DatabaseShape | null): Database | null {
  let db: DatabaseSync | undefined;
  try {
    assertRegularFile(file);
    db = openSnapshot(file);
    if (shape !== null) assertVersion(db, shape);
    return withStatements(db);
  } catch {
    db?.close();
    return null;
  }
}

export function openInMemory(shape: DatabaseShape): Database {
  const db = new DatabaseSync(IN_MEMORY);
  createTables(db, shape);
  return withStatements(db);
}

/** Moves what is in the write-ahead log into the file. False where a reader still needs the log, which is not waited for. */
export function emptyLog({ db }: Database): boolean {
  db.exec('PRAGMA busy_timeout = 0');
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  return busy === 0;
}

/** Whether there is a log that the last writer could not move into the file. */
export const hasLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

export function removeDatabase(file: string): void {
  if (file === IN_MEMORY) return;
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true });
}

/** Turns what SQLite reports into errors that a caller can act on. */
export function guardDatabase<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw describeDatabaseError(error, file);
  }
}

function describeDatabaseError(error: unknown, file: string): unknown {
  if (error instanceof OkaError || error instanceof StoreDamaged) return error;
  const text = messageOf(error);
  if (isDamagedDatabase(error)) return new StoreDamaged(text, { cause: error });
  if (/database or disk is full/.test(text)) return describeErrno(withCode(error, 'ENOSPC'), file);
  if (/unable to open|readonly|attempt to write/.test(text)) return describeErrno(withCode(error, 'EACCES'), file);
  return error;
}

const withCode = (cause: unknown, code: string): Error =>
  Object.assign(new Error(messageOf(cause), { cause }), { code });

function openWritable(file: string, shape: DatabaseShape): Database {
  if (file === IN_MEMORY) return openInMemory(shape);
  assertRegularFile(file);
  makeFolder(dirname(file));
  let db: DatabaseSync | undefined;
  try {
    return guardDatabase(file, () => {
      touchPrivate(file);
      db = new DatabaseSync(file, { timeout: BUSY_MS });
      // What is removed is overwritten: people delete what nobody shall read again.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
      db.exec(`PRAGMA cache_size = -${shape.cacheKb ?? CACHE_KB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined) createTables(db, shape);
      assertVersion(db, shape);
      return withStatements(db);
    });
  } catch (error) {
    db?.close();
    throw error;
  }
}

function createTables(db: DatabaseSync, { version, tables = '' }: DatabaseShape): void {
  db.exec(`BEGIN IMMEDIATE; ${TABLES} ${tables}`);
  db.prepare('INSERT INTO meta VALUES (?, ?)').run('version', versionIn(version));
  db.exec('COMMIT');
}

const versionIn = (version: string): string => `${FORMAT} ${version}`;

function assertVersion(db: DatabaseSync, { version, isPart = false }: DatabaseShape): void {
  const found = db.prepare("SELECT value FROM meta WHERE name = 'version'").get()?.['value'];
  const isRight = isPart ? hasWords(String(found), versionIn(version)) : found === versionIn(version);
  if (!isRight) throw new StoreDamaged(`it is of version ${String(found)}`);
}

/** Whether a version begins with the same format, and names everything that the other one names. */
function hasWords(version: string, wanted: string): boolean {
  const [format, ...words] = version.split(' ');
  const [wantedFormat, ...wantedWords] = wanted.split(' ');
  return format === wantedFormat && wantedWords.every((word) => words.includes(word));
}

/** On a read-only mount a file that nobody has open lacks what sharing needs; then it does not change either. */
function openSnapshot(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    beginSnapshot(db);
    return db;
  } catch (error) {
    db.close();
    if (isDamagedDatabase(error) || existsSync(`${file}-wal`)) throw error;
    const alone = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
    beginSnapshot(alone);
    return alone;
  }
}

function beginSnapshot(db: DatabaseSync): void {
  db.exec('BEGIN; SELECT 1 FROM sqlite_master LIMIT 1');
}

function withStatements(db: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  return {
    db,
    prepare(sql) {
      const known = statements.get(sql) ?? db.prepare(sql);
      statements.set(sql, known);
      return known;
    },
  };
}
