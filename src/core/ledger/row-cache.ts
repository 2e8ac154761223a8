/**
 * Owns: rows in memory while folds change them, so that a row is parsed once, and written once a transaction (S4).
 * Does not own: the database; it is given a function that reads a row and one that writes it.
 *
 * 1. After a transaction was stored its rows stay for the next one, since a store has one writer; after one that failed
 *    nothing stays.
 * 2. With `sharesRows`, whoever gets a row gets the very value that is cached; without, a copy of its own.
 */

/** `text` is undefined for a value that has not been written out yet, and null for a row that is not there. */
type CachedRow = { text: string | null | undefined; value: unknown; isChanged: boolean };

type RowCacheOptions = {
  sharesRows: boolean;
  read: (key: string) => string | null;
  write: (key: string, text: string | null) => void;
  parse: (text: string, key: string) => unknown;
};

const MOST_CHANGED = 20_000;
/** Rows that outlive many transactions cost the garbage collector more than reading them again. */
const MOST_RETAINED = 500;

export class RowCache {
  readonly #options: RowCacheOptions;
  readonly #rows = new Map<string, CachedRow>();
  readonly #changed = new Map<string, CachedRow>();

  constructor(options: RowCacheOptions) {
    this.#options = options;
  }

  get(key: string): unknown {
    const row = this.#rows.get(key) ?? this.#load(key);
    if (row.value !== undefined) return row.value;
    if (row.text === null || row.text === undefined) return undefined;
    const value = this.#options.parse(row.text, key);
    if (this.#options.sharesRows) row.value = value;
    return value;
  }

  /** Null removes the row. */
  put(key: string, value: unknown): void {
    const isShared = this.#options.sharesRows && value !== null;
    const text = value === null ? null : isShared ? undefined : JSON.stringify(value);
    const row = this.#rows.get(key) ?? { text, value: undefined, isChanged: false };
    row.text = text;
    row.value = isShared ? value : undefined;
    if (row.isChanged) return;
    row.isChanged = true;
    this.#rows.set(key, row);
    this.#changed.set(key, row);
    if (this.#changed.size > MOST_CHANGED) this.write('');
  }

  /** Writes the changed rows below a prefix, so that the database has them. */
  write(prefix: string): void {
    for (const [key, row] of this.#changed) {
      if (!key.startsWith(prefix)) continue;
      this.#options.write(key, row.text === undefined ? JSON.stringify(row.value) : row.text);
      row.isChanged = false;
      this.#changed.delete(key);
    }
    if (this.#changed.size === 0 && this.#rows.size > MOST_RETAINED) this.#rows.clear();
  }

  forget(key: string): void {
    this.#rows.delete(key);
    this.#changed.delete(key);
  }

  clear(): void {
    this.#rows.clear();
    this.#changed.clear();
  }

  #load(key: string): CachedRow {
    const row = { text: this.#options.read(key), value: undefined, isChanged: false };
    this.#rows.set(key, row);
    return row;
  }
}
