/**
 * Owns: .oka/maintenance/books.sqlite: what maintenance knows, which pages are no longer true, and how far both ledgers
 * were read.
 * Does not own: what is kept under which key (the parts in memory/), nor the order of events (catch-up.ts).
 *
 * K1 Entries, pages and cursors change together or not at all: a process that dies leaves a book that is right, only
 *    shorter.
 * K2 The holder of the maintenance pen writes it; others only look.
 * K3 A file that is damaged, or was made by another oka, is thrown away: everything in it stands in the ledgers.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { assertRegularFile, explained, isDamagedDatabase, makeFolder } from '../../ledger/disk.ts';
import { type Position, START } from '../../ledger/line.ts';
import type { Book } from '../../memory/book.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Pen } from '../../schema/event.ts';
import { fromStoredKey as fromKey, toStoredKey as toKey } from '../../ledger/row-keys.ts';

export type Cursor = { seq: number; hash: string };

/** The book does not hold what was put into it, or is about other ledgers. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

const TABLES = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cursor (pen TEXT PRIMARY KEY, seq INTEGER, hash TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS touched (page TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
`;

const AT_ONCE = 256;

export class Books implements Book {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** `madeBy` names what decides about its contents; a book that was made by something else is made anew (K3). */
  static open(file: string, madeBy: string): Books {
    try {
      return new Books(opened(file, madeBy));
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      Books.remove(file);
      return new Books(opened(file, madeBy));
    }
  }

  /** A copy that nobody else sees, for looking ahead. */
  static copyOf(file: string, madeBy: string, copy: string): Books {
    lookInto(file, null, (db) => db.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`));
    return Books.open(copy, madeBy);
  }

  static remove(file: string): void {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true });
  }

  readonly get: Book['get'] = (key) => {
    const value = guarded(() => this.#one('SELECT value FROM entry WHERE key = ?', toKey(key))?.['value']);
    return typeof value === 'string' ? (parsed(value) as never) : undefined;
  };

  put(key: string, value: unknown): void {
    if (value === undefined) throw new TypeError(`nothing is put under "${key}"; null takes an entry out`);
    guarded(() => {
      if (value === null) this.#do('DELETE FROM entry WHERE key = ?', toKey(key));
      else this.#do('INSERT OR REPLACE INTO entry VALUES (?, ?)', toKey(key), JSON.stringify(value));
    });
  }

  /** In pieces, so that whoever goes through it may change it, and memory is bounded. */
  *each<T>(prefix: string): Generator<[key: string, value: T]> {
    const beyond = `${toKey(prefix)}\ue000`;
    const first = 'SELECT key, value FROM entry WHERE key >= ? AND key < ? ORDER BY key LIMIT ?';
    const then = 'SELECT key, value FROM entry WHERE key > ? AND key < ? ORDER BY key LIMIT ?';
    let [sql, from] = [first, toKey(prefix)];
    for (;;) {
      const rows = guarded(() => this.#statement(sql).all(from, beyond, AT_ONCE));
      for (const { key, value } of rows) yield [fromKey(String(key)), parsed(String(value)) as T];
      if (rows.length < AT_ONCE) return;
      [sql, from] = [then, String(rows.at(-1)?.['key'])];
    }
  }

  touch(page: string): void {
    guarded(() => this.#do('INSERT OR IGNORE INTO touched VALUES (?)', page));
  }

  /** Pages that have to be made anew, a bounded number at a time. */
  touched(): string[] {
    const rows = guarded(() => this.#statement('SELECT page FROM touched ORDER BY page LIMIT ?').all(AT_ONCE));
    return rows.map(({ page }) => String(page));
  }

  isMade(page: string): void {
    guarded(() => this.#do('DELETE FROM touched WHERE page = ?', page));
  }

  cursor(pen: Pen): Cursor {
    const row = guarded(() => this.#one('SELECT seq, hash FROM cursor WHERE pen = ?', pen));
    return row === undefined ? START : { seq: Number(row['seq']), hash: String(row['hash']) };
  }

  putCursor(pen: Pen, { seq, hash }: Cursor): void {
    this.#do('INSERT OR REPLACE INTO cursor VALUES (?, ?, ?)', pen, seq, hash);
  }

  /** What is not part of the book: where the next opening may begin, and when the last pass was. */
  note(name: 'position' | 'passed', value: unknown): void {
    guarded(() => this.#do('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, JSON.stringify(value)));
  }

  /** K1. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    guarded(() => this.#db.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work();
      guarded(() => this.#db.exec('COMMIT'));
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }

  #one(sql: string, ...values: string[]): Record<string, unknown> | undefined {
    return this.#statement(sql).get(...values);
  }

  #do(sql: string, ...values: (string | number)[]): void {
    this.#statement(sql).run(...values);
  }
}

/** What another process may know of the book: how far it has read, and when. Null when there is none. */
export type Glimpse = { read: number; position: Position | null; passed: string | null };

export function glimpseOf(file: string): Glimpse | null {
  return lookInto<Glimpse | null>(file, null, (db) => {
    const noted = (name: string): unknown => {
      const value = db.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.['value'];
      return typeof value === 'string' ? JSON.parse(value) : null;
    };
    const read = Number(db.prepare("SELECT seq FROM cursor WHERE pen = 'run'").get()?.['seq'] ?? 0);
    return { read, position: noted('position') as Position | null, passed: noted('passed') as string | null };
  });
}

/** Whoever cannot see it knows nothing: the ledgers have it all. */
function lookInto<T>(file: string, otherwise: T, look: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined;
  try {
    assertRegularFile(file);
    db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    return look(db);
  } catch {
    return otherwise;
  } finally {
    db?.close();
  }
}

function opened(file: string, madeBy: string): DatabaseSync {
  if (file !== ':memory:') {
    makeFolder(dirname(file));
    assertRegularFile(file);
  }
  let db: DatabaseSync | undefined;
  try {
    return guarded(() => {
      db = new DatabaseSync(file, { timeout: 5000 });
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000');
      db.exec(TABLES);
      db.prepare('INSERT OR IGNORE INTO meta VALUES (?, ?)').run('made_by', madeBy);
      const found = db.prepare("SELECT value FROM meta WHERE name = 'made_by'").get()?.['value'];
      if (found !== madeBy) throw new Damaged('another oka made it');
      return db;
    });
  } catch (error) {
    db?.close();
    throw explainedBook(error, file);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Damaged('an entry is garbled', { cause: error });
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isDamagedDatabase(error)) throw new Damaged(messageOf(error), { cause: error });
    if (/database or disk is full/.test(messageOf(error)))
      throw new OkaError('disk-full', 'no space left for .oka/maintenance/books.sqlite', {
        fix: 'Free some space; work goes on by itself.',
        cause: error,
      });
    throw error;
  }
}

function explainedBook(error: unknown, file: string): unknown {
  if (error instanceof OkaError || error instanceof Damaged) return error;
  const isClosed = /unable to open|readonly|attempt to write/.test(messageOf(error));
  return isClosed ? explained(Object.assign(new Error(messageOf(error)), { code: 'EACCES' }), file) : error;
}
