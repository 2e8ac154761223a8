/**
 * Owns: one SQLite file in which folds over the ledgers store their rows, and how far they have read (cursors).
 * Does not own: what the rows mean (the folds), reading the ledgers (follower.ts), who may write (the caller's lock).
 *
 * S1 Rows and cursors change together or not at all: a process that dies leaves a store that is right, only shorter.
 * S2 Whoever may not write reads the file as it was when it was opened, and stores newer rows in memory on top of it.
 *    That works on a read-only mount, without a worker, and when the file is missing.
 * S3 A file that is damaged or of another version is not repaired but recreated: everything in it is in the ledgers.
 * S4 Within a transaction a row is written once, however often it is put.
 * S5 After a transaction that erased something, the file has no byte of it, nor has its log unless a reader still uses
 *    that; then it is emptied after a later one, or when it is asked for, also by whoever opens the file next.
 */
import type { Pen } from '../schema/event.ts';
import type { Memo, Range, Rows, Texts } from '../schema/rows.ts';
import {
  type Database,
  type DatabaseShape,
  guardDatabase,
  IN_MEMORY,
  emptyLog,
  hasLog,
  openForReading,
  openForWriting,
  openInMemory,
  removeDatabase,
  StoreDamaged,
} from './fold-database.ts';
import { START } from './line.ts';
import { fromStoredKey, toStoredKey } from './row-keys.ts';
import { RowCache } from './row-cache.ts';
import { scanRows } from './row-scan.ts';
import { forgetRemovedWords, openTexts, TEXT_FORMAT, TEXT_TABLES } from './text-index.ts';

/** The last event that was folded, and its hash; seq 0 before the first one. */
export type Cursor = { seq: number; hash: string };

export class FoldStore implements Rows {
  readonly file: string;
  readonly #shape: DatabaseShape;
  #base: Database | null;
  #top: Database;
  #owns: boolean;
  readonly #cache: RowCache;
  readonly texts: Texts | undefined;
  #memo: Memo | undefined;
  #hasErased = false;
  /** Whether the log may still have what was erased, since somebody read the state before. */
  #isLogLeft: boolean;

  private constructor(file: string, given: DatabaseShape, owns: boolean) {
    const shape = given.hasTexts === true ? withTexts(given) : given;
    this.file = file;
    this.#shape = shape;
    this.texts =
      given.hasTexts === true
        ? openTexts(
            file,
            () => this.layers,
            () => this.noteErased(),
          )
        : undefined;
    this.#owns = owns;
    this.#isLogLeft = owns && hasLog(file);
    this.#base = owns ? null : openForReading(file, shape);
    this.#top = owns ? openForWriting(file, shape) : openInMemory(shape);
    this.#cache = new RowCache({
      sharesRows: shape.sharesRows === true,
      read: (key) => this.#read(key),
      write: (key, text) => this.#write(key, text),
      parse: parseRow,
    });
  }

  /** Opens the file for its one writer; the caller makes sure that there is only one. */
  static open(file: string, shape: DatabaseShape): FoldStore {
    return new FoldStore(file, shape, true);
  }

  /** Reads what is in the file, if anything is, and stores what is newer in memory. */
  static openReadOnly(file: string, shape: DatabaseShape): FoldStore {
    return new FoldStore(file, shape, false);
  }

  /** Whether what is stored here reaches the file. */
  get isOwner(): boolean {
    return this.#owns;
  }

  /** For tables of the caller's own: the databases to read, the newest last. They change with every reset. */
  get layers(): readonly Database[] {
    return this.#base === null ? [this.#top] : [this.#base, this.#top];
  }

  /** For tables of the caller's own: the database to write. */
  get top(): Database {
    return this.#top;
  }

  /** There is one exactly while a transaction goes on. */
  get memo(): Memo | undefined {
    return this.#memo;
  }

  readonly get: Rows['get'] = (key) => {
    if (this.#memo !== undefined) return this.#cache.get(key) as never;
    const text = this.#read(key);
    return (text === null ? undefined : parseRow(text, key)) as never;
  };

  put(key: string, value: unknown): void {
    if (value === undefined) throw new TypeError(`no value was put under "${key}"; null removes a row`);
    if (this.#memo !== undefined) return this.#cache.put(key, value);
    this.#cache.forget(key);
    this.#write(key, value === null ? null : JSON.stringify(value));
  }

  /** Whoever goes through the rows may change them. */
  *each<T>(prefix: string, range: Range = {}): Generator<[key: string, value: T]> {
    const rows = scanRows(this.layers, prefix, range, () => this.#cache.write(prefix));
    for (;;) {
      const next = this.#guard(() => rows.next());
      if (next.done === true) return;
      const key = fromStoredKey(next.value.key);
      yield [key, parseRow(next.value.value ?? 'null', key) as T];
    }
  }

  cursor(pen: Pen): Cursor {
    const row = this.#newest('SELECT seq, hash FROM cursor WHERE pen = ?', pen);
    return row === undefined ? { seq: START.seq, hash: START.hash } : (row as Cursor);
  }

  setCursor(pen: Pen, { seq, hash }: Cursor): void {
    this.#guard(() => this.#top.prepare('INSERT OR REPLACE INTO cursor VALUES (?, ?, ?)').run(pen, seq, hash));
  }

  /** A value that is not folded from the ledgers, such as the time of the last pass; null when it was never set. */
  note(name: string): unknown {
    const value = this.#newest('SELECT value FROM meta WHERE name = ?', `note.${name}`)?.['value'];
    return typeof value === 'string' ? parseRow(value, name) : null;
  }

  setNote(name: string, value: unknown): void {
    const text = JSON.stringify(value);
    this.#guard(() => this.#top.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(`note.${name}`, text));
  }

  /** Called when something is removed that nobody shall read any more (S5). */
  noteErased(): void {
    this.#hasErased = true;
  }

  /** For readers: whether the file that they keep open has something that was erased since (S5). */
  get keepsErased(): boolean {
    return this.#hasErased && !this.#owns;
  }

  /** Empties the log of what was erased. False where a reader still needs it. */
  emptyLeftLog(): boolean {
    if (this.#isLogLeft) this.#guard(() => (this.#isLogLeft = !emptyLog(this.#top)));
    return !this.#isLogLeft;
  }

  /** Does all of the work, or nothing of it (S1). */
  transaction<T>(work: () => T): T {
    this.#begin();
    try {
      const result = work();
      this.#commit();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** The same for work that has to wait. Nobody else may use the store for writing meanwhile. */
  async transactionAsync<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    try {
      const result = await work();
      this.#commit();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Throws everything away, so that it is folded again from the first event on (S3). Notes are lost, too. */
  reset(): void {
    this.close();
    if (this.#owns) removeDatabase(this.file);
    this.#base = null;
    this.#top = this.#owns ? openForWriting(this.file, this.#shape) : openInMemory(this.#shape);
  }

  /** From now on everything is stored in memory, on top of what is in the file: it cannot be written any more. */
  stopWriting(): void {
    this.close();
    this.#owns = false;
    this.#base = this.file === IN_MEMORY ? null : openForReading(this.file, this.#shape);
    this.#top = openInMemory(this.#shape);
  }

  close(): void {
    this.#memo = undefined;
    this.#cache.clear();
    for (const { db } of this.layers) if (db.isOpen) db.close();
  }

  #read(key: string): string | null {
    const value = this.#newest('SELECT value FROM row WHERE key = ?', toStoredKey(key))?.['value'];
    return typeof value === 'string' ? value : null;
  }

  #newest(sql: string, name: string): Record<string, unknown> | undefined {
    return this.#guard(() => this.#top.prepare(sql).get(name) ?? this.#base?.prepare(sql).get(name));
  }

  /** A row of the file, which may not be written, is hidden by one without a value. */
  #write(key: string, text: string | null): void {
    const stored = toStoredKey(key);
    this.#guard(() => {
      if (text === null && this.#base === null) this.#top.prepare('DELETE FROM row WHERE key = ?').run(stored);
      else this.#top.prepare('INSERT OR REPLACE INTO row VALUES (?, ?)').run(stored, text);
    });
  }

  #begin(): void {
    this.#guard(() => this.#top.db.exec('BEGIN IMMEDIATE'));
    this.#memo = new Map();
  }

  #commit(): void {
    this.#cache.write('');
    const hasErased = this.#hasErased && this.#owns;
    this.#guard(() => {
      if (hasErased && this.texts !== undefined) forgetRemovedWords(this.#top);
      this.#top.db.exec('COMMIT');
      if (hasErased) [this.#hasErased, this.#isLogLeft] = [false, true];
    });
    this.emptyLeftLog();
    this.#memo = undefined;
  }

  #rollBack(): void {
    this.#memo = undefined;
    this.#cache.clear();
    if (this.#top.db.isOpen && this.#top.db.isTransaction) this.#top.db.exec('ROLLBACK');
  }

  #guard<T>(work: () => T): T {
    return guardDatabase(this.file, work);
  }
}

function withTexts({ version, tables = '', ...shape }: DatabaseShape): DatabaseShape {
  return { ...shape, version: `${TEXT_FORMAT} ${version}`, tables: TEXT_TABLES + tables };
}

function parseRow(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreDamaged(`the row "${key}" is corrupted`, { cause: error });
  }
}

type Progress = { read: Readonly<Record<Pen, number>>; note(name: string): unknown };

/** How far a store of whatever version has read, for a process that does not need its rows; null without a store. */
export function readProgress(file: string): Progress | null {
  const base = openForReading(file, null);
  try {
    const cursors = base?.prepare('SELECT pen, seq FROM cursor').all() ?? [];
    const notes = base?.prepare("SELECT name, value FROM meta WHERE name LIKE 'note.%'").all() ?? [];
    const seqOf = (pen: Pen): number => Number(cursors.find((row) => row['pen'] === pen)?.['seq'] ?? 0);
    const values = new Map(notes.map(({ name, value }) => [String(name), JSON.parse(String(value)) as unknown]));
    const read = { run: seqOf('run'), maintenance: seqOf('maintenance') };
    return base === null ? null : { read, note: (name) => values.get(`note.${name}`) ?? null };
  } catch {
    return null; // A file of another program, or a damaged one.
  } finally {
    base?.db.close();
  }
}
