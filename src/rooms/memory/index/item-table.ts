/**
 * Owns: the remembered items in the index store: their texts, their terms, and which of them are gone.
 * Does not own: what becomes an item (index-entries.ts), nor how items are found (corpus.ts, recall/ranker.ts).
 *
 * 1. An item is never changed; one that is replaced or removed is marked as gone, and its words are erased.
 * 2. An item is checked against its sum whenever it is read, so that corrupted items are not used.
 */
import { guardDatabase, StoreDamaged } from '../../../core/ledger/fold-database.ts';
import type { FoldStore } from '../../../core/ledger/fold-store.ts';
import { type IndexedItem, type IndexEntry, type Item, sumOf } from '../../../kit/learning/index-item.ts';

export const ITEM_TABLES = `
CREATE TABLE item (
  n INTEGER PRIMARY KEY, key TEXT, id TEXT, kind TEXT, who TEXT, at TEXT, thread TEXT, run TEXT, node TEXT,
  namespace TEXT, pen TEXT, seq INTEGER, part INTEGER, own INTEGER, text TEXT, terms TEXT, sum TEXT);
CREATE INDEX item_key ON item (key);
CREATE TABLE gone (n INTEGER PRIMARY KEY);
`;

export class ItemTable {
  readonly #store: FoldStore;

  constructor(store: FoldStore) {
    this.#store = store;
  }

  /** The number of the last item. */
  get size(): number {
    return Math.max(...this.#all('SELECT max(n) AS n FROM item').map(({ n }) => Number(n ?? 0)));
  }

  /** Returns its number and those of the items that it replaces, or null when it is there already. */
  add(entry: IndexEntry, terms: string): { n: number; replaced: number[] } | null {
    const same = this.#all('SELECT n, sum FROM item WHERE key = ?', entry.key);
    const before = same.filter(({ n }) => !this.isGone(Number(n)));
    const sum = `${sumOf(entry.text)} ${sumOf(terms)}`;
    if (before.some((row) => row['sum'] === sum)) return null;
    const replaced = before.map(({ n }) => Number(n));
    for (const n of replaced) this.remove(n);
    const n = this.size + 1;
    const { key, id, kind, who, at, thread, run, node, namespace, pen, seq, part, own, text } = entry;
    const values = [n, key, id, kind, who, at, thread, run, node, namespace, pen, seq, part, own, text, terms, sum];
    this.#run('INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...values);
    return { n, replaced };
  }

  remove(n: number): void {
    this.#store.noteErased();
    this.#run('INSERT OR IGNORE INTO gone VALUES (?)', n);
    this.#run("UPDATE item SET text = '', terms = '', sum = ? WHERE n = ?", `${sumOf('')} ${sumOf('')}`, n);
  }

  /** Removes the items whose keys are in this range, both ends included. Returns their numbers. */
  removeBetween(from: string, to: string): number[] {
    const found = this.#all('SELECT n FROM item WHERE key BETWEEN ? AND ?', from, to).map(({ n }) => Number(n));
    const removed = found.filter((n) => !this.isGone(n));
    for (const n of removed) this.remove(n);
    return removed;
  }

  isGone(n: number): boolean {
    return this.#all('SELECT n FROM gone WHERE n = ?', n).length > 0;
  }

  item(n: number): Item | null {
    return this.itemsAt([n]).get(n) ?? null;
  }

  /** The items with these numbers, read together. */
  itemsAt(numbers: readonly number[]): ReadonlyMap<number, Item> {
    const sql = 'SELECT * FROM item WHERE n IN (SELECT value FROM json_each(?))';
    return new Map(this.#all(sql, JSON.stringify(numbers)).map((row) => [Number(row['n']), checkedItem(row)]));
  }

  /** Items in the order of their numbers, after the given one. */
  *items(behind = 0): Generator<IndexedItem> {
    const sql = `SELECT n, kind, who, at, thread, run, namespace, terms, substr(sum, 1, 32) AS sum, gone.n IS NOT NULL AS gone
      FROM item LEFT JOIN gone USING (n) WHERE n > ? ORDER BY n`;
    for (const layer of this.#store.layers) {
      const rows = layer.prepare(sql).iterate(behind) as Iterable<unknown>;
      for (const row of rows) yield row as IndexedItem;
    }
  }

  #all(sql: string, ...values: (string | number)[]): Record<string, unknown>[] {
    return this.#guard(() => this.#store.layers.flatMap((layer) => layer.prepare(sql).all(...values)));
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#guard(() => this.#store.top.prepare(sql).run(...values));
  }

  #guard<T>(work: () => T): T {
    return guardDatabase(this.#store.file, work);
  }
}

function checkedItem(row: Record<string, unknown>): Item {
  if (`${sumOf(String(row['text']))} ${sumOf(String(row['terms']))}` !== row['sum'])
    throw new StoreDamaged(`item ${String(row['n'])} is corrupted`);
  return row as unknown as Item;
}
