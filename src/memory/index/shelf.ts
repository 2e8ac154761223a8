/**
 * Owns: .oka/index/memory.sqlite, the pieces that are remembered and how far the ledgers were read.
 * Does not own: what becomes a piece (drafts.ts), nor how pieces are found (corpus.ts, recall/rank.ts).
 *
 * 1. Pieces and cursors change together or not at all: a process that dies leaves a shelf that is right, only shorter.
 * 2. A piece is never changed; one that is replaced or given up is marked as gone.
 * 3. Whoever may not write sees the file as it is and keeps what is newer in memory.
 * 4. A file that is damaged is not mended but thrown away: everything on it stands in the ledgers.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { assertRegularFile, isDamagedDatabase } from '../../ledger/disk.ts';
import { messageOf } from '../../schema/errors.ts';
import type { Pen } from '../../schema/event.ts';
import type { Fact } from '../../schema/memory.ts';
import { type Draft, type Item, sumOf } from './item.ts';

/** Changed whenever drafts, terms or tables change: older files are then made anew. */
const VERSION = '2';

export type Cursor = { seq: number; hash: string };
/** What the search needs of a piece; its text stays where it is. */
export type Shelved = Pick<Item, 'n' | 'kind' | 'who' | 'at' | 'thread' | 'run' | 'namespace'> & {
  terms: string;
  sum: string;
  gone: number;
};

/** The shelf does not hold what was put on it. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

const TABLES = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scrap (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fact (id TEXT PRIMARY KEY, n INTEGER, data TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS item (
  n INTEGER PRIMARY KEY, key TEXT, id TEXT, kind TEXT, who TEXT, at TEXT, thread TEXT, run TEXT, node TEXT,
  namespace TEXT, pen TEXT, seq INTEGER, part INTEGER, text TEXT, terms TEXT, sum TEXT);
CREATE INDEX IF NOT EXISTS item_key ON item (key);
CREATE TABLE IF NOT EXISTS gone (n INTEGER PRIMARY KEY);
`;

type Open = { db: DatabaseSync; prepared: Map<string, StatementSync> };

export class Shelf {
  readonly writes: boolean;
  readonly #kept: Open | null;
  readonly #top: Open;
  #last: number;

  private constructor(kept: Open | null, top: Open, writes: boolean) {
    this.#kept = kept;
    this.#top = top;
    this.writes = writes;
    this.#last = Number(this.#one('SELECT max(n) AS n FROM item')?.['n'] ?? 0);
  }

  /** `keep` writes the file; `look` only reads it, if it is there. */
  static open(file: string, mode: 'keep' | 'look'): Shelf {
    return guarded(() => {
      assertRegularFile(file);
      if (mode === 'keep') return new Shelf(null, writable(file), true);
      const kept = readable(file);
      return new Shelf(kept, inMemory(), false);
    });
  }

  static remove(file: string): void {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true });
  }

  /** 1. */
  together<T>(work: () => T): T {
    return guarded(() => {
      this.#top.db.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#top.db.exec('COMMIT');
        return result;
      } catch (error) {
        this.#top.db.exec('ROLLBACK');
        this.#last = Number(this.#one('SELECT max(n) AS n FROM item')?.['n'] ?? 0);
        throw error;
      }
    });
  }

  /** Returns its number, or null when it is there already. Tells which pieces it replaces. */
  add(draft: Draft, terms: string): { n: number; replaced: number[] } | null {
    const before = this.#older('SELECT n, sum FROM item WHERE key = ?', draft.key).filter(
      ({ n }) => !this.isGone(Number(n)),
    );
    const sum = `${sumOf(draft.text)} ${sumOf(terms)}`;
    if (before.some((row) => row['sum'] === sum)) return null;
    const replaced = before.map(({ n }) => Number(n));
    for (const n of replaced) this.giveUp(n);
    const n = this.#last + 1;
    const { key, id, kind, who, at, thread, run, node, namespace, pen, seq, part, text } = draft;
    const values = [n, key, id, kind, who, at, thread, run, node, namespace, pen, seq, part, text, terms, sum];
    this.#do('INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...values);
    this.#last = n;
    return { n, replaced };
  }

  giveUp(n: number): void {
    this.#do('INSERT OR IGNORE INTO gone VALUES (?)', n);
  }

  isGone(n: number): boolean {
    return this.#one('SELECT n FROM gone WHERE n = ?', n) !== undefined;
  }

  /** Checked against its sum: what a disk has garbled is not remembered. */
  item(n: number): Item | null {
    const row = this.#one('SELECT * FROM item WHERE n = ?', n);
    if (row === undefined) return null;
    const { terms, sum, ...item } = row;
    if (`${sumOf(String(item['text']))} ${sumOf(String(terms))}` !== sum) throw new Damaged(`piece ${n} was garbled`);
    return item as unknown as Item;
  }

  *items(behind = 0): Generator<Shelved> {
    const sql = `SELECT n, kind, who, at, thread, run, namespace, terms, sum, gone.n IS NOT NULL AS gone
      FROM item LEFT JOIN gone USING (n) WHERE n > ? ORDER BY n`;
    for (const open of this.#both()) {
      const rows = statement(open, sql).iterate(behind) as Iterable<unknown>;
      for (const row of rows) yield row as Shelved;
    }
  }

  facts(): Map<string, { n: number; fact: Fact }> {
    const found = new Map<string, { n: number; fact: Fact }>();
    for (const row of this.#older('SELECT id, n, data FROM fact ORDER BY id'))
      if (row['data'] === null) found.delete(String(row['id']));
      else found.set(String(row['id']), { n: Number(row['n']), fact: JSON.parse(row['data'] as string) as Fact });
    return found;
  }

  fact(id: string): { n: number; fact: Fact } | null {
    const row = this.#older('SELECT n, data FROM fact WHERE id = ?', id).at(-1);
    if (row === undefined || row['data'] === null) return null;
    return { n: Number(row['n']), fact: JSON.parse(row['data'] as string) as Fact };
  }

  /** A row without data hides the one in a file that may not be written. */
  dropFact(id: string): void {
    this.#do('INSERT OR REPLACE INTO fact VALUES (?, 0, NULL)', id);
  }

  putFact(fact: Fact, n: number): void {
    this.#do('INSERT OR REPLACE INTO fact VALUES (?, ?, ?)', fact.id, n, JSON.stringify(fact));
  }

  /** Small things that the next events need to know. */
  scrap(key: string): string | null {
    return (this.#one('SELECT value FROM scrap WHERE key = ?', key)?.['value'] as string | null | undefined) ?? null;
  }

  putScrap(key: string, value: string | null): void {
    if (value === null && this.#kept === null) this.#do('DELETE FROM scrap WHERE key = ?', key);
    else this.#do('INSERT OR REPLACE INTO scrap VALUES (?, ?)', key, value);
  }

  cursor(pen: Pen): Cursor | null {
    const value = this.#one('SELECT value FROM meta WHERE name = ?', `cursor.${pen}`)?.['value'];
    return typeof value === 'string' ? (JSON.parse(value) as Cursor) : null;
  }

  putCursor(pen: Pen, { seq, hash }: Cursor): void {
    this.#do('INSERT OR REPLACE INTO meta VALUES (?, ?)', `cursor.${pen}`, JSON.stringify({ seq, hash }));
  }

  get size(): number {
    return this.#last;
  }

  close(): void {
    for (const { db } of this.#both()) db.close();
  }

  #both(): Open[] {
    return this.#kept === null ? [this.#top] : [this.#kept, this.#top];
  }

  /** What is newer wins. */
  #one(sql: string, ...values: (string | number)[]): Record<string, unknown> | undefined {
    return guarded(() => {
      const top = statement(this.#top, sql).get(...values);
      const isEmpty = top === undefined || Object.values(top).every((value) => value === null);
      if (this.#kept === null || (!isEmpty && top !== undefined)) return top;
      if (top !== undefined && 'value' in top) return top;
      return statement(this.#kept, sql).get(...values);
    });
  }

  #older(sql: string, ...values: (string | number)[]): Record<string, unknown>[] {
    return guarded(() => this.#both().flatMap((open) => statement(open, sql).all(...values)));
  }

  #do(sql: string, ...values: (string | number | null)[]): void {
    statement(this.#top, sql).run(...values);
  }
}

function statement({ db, prepared }: Open, sql: string): StatementSync {
  const known = prepared.get(sql) ?? db.prepare(sql);
  prepared.set(sql, known);
  return known;
}

function writable(file: string): Open {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000');
    db.exec(TABLES);
    db.prepare('INSERT OR IGNORE INTO meta VALUES (?, ?)').run('version', VERSION);
    assertVersion(db);
    return { db, prepared: new Map() };
  } catch (error) {
    db.close();
    throw error;
  }
}

function readable(file: string): Open | null {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    assertVersion(db);
    return { db, prepared: new Map() };
  } catch {
    // Not there, damaged or of another version: the ledgers have it all.
    db?.close();
    return null;
  }
}

function inMemory(): Open {
  const db = new DatabaseSync(':memory:');
  db.exec(TABLES);
  return { db, prepared: new Map() };
}

function assertVersion(db: DatabaseSync): void {
  const found = db.prepare("SELECT value FROM meta WHERE name = 'version'").get()?.['value'];
  if (found !== VERSION) throw new Damaged(`it is of version ${String(found)}`);
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isDamagedDatabase(error)) throw new Damaged(messageOf(error), { cause: error });
    throw error;
  }
}
