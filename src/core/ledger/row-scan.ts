/** Reads stored rows in the order of their keys, from one database or from two of which the newer one wins. */
import type { Range } from '../schema/rows.ts';
import type { Database } from './fold-database.ts';
import { endOfPrefix, nextKey, toStoredKey } from './row-keys.ts';

/** A key as it is stored, and its JSON; null where a newer layer has removed the row. */
type StoredRow = { key: string; value: string | null };
type Bounds = { from: string; to: string; reverse: boolean };

const PAGE = 256;
const SELECT = 'SELECT key, value FROM row WHERE key >= ? AND key < ? ORDER BY key';
const FORWARD = `${SELECT} LIMIT ?`;
const BACKWARD = `${SELECT} DESC LIMIT ?`;

/**
 * The rows of a range that are there, page by page: memory is bounded, and the rows may change while they are read.
 * `layers` has the newest database last; `beforePage` is called before each page is read.
 */
export function* scanRows(
  layers: readonly Database[],
  prefix: string,
  { after, before, reverse = false, limit = Number.POSITIVE_INFINITY }: Range,
  beforePage: () => void,
): Generator<StoredRow> {
  const stored = toStoredKey(prefix);
  const bounds = {
    from: after === undefined ? stored : greater(stored, nextKey(toStoredKey(after))),
    to: before === undefined ? endOfPrefix(stored) : smaller(endOfPrefix(stored), toStoredKey(before)),
    reverse,
  };
  if (limit <= 0) return;
  const size = Math.min(PAGE, limit);
  const scans = layers.map((layer) => scanLayer(layer, bounds, size, beforePage));
  let count = 0;
  for (const row of scans.length === 1 ? (scans[0] ?? []) : merge(scans, reverse)) {
    if (row.value === null) continue;
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

function* scanLayer(
  layer: Database,
  { from, to, reverse }: Bounds,
  size: number,
  beforePage: () => void,
): Generator<StoredRow> {
  for (let [low, high] = [from, to]; low < high; ) {
    beforePage();
    const rows = layer.prepare(reverse ? BACKWARD : FORWARD).all(low, high, size) as StoredRow[];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    if (reverse) high = last.key;
    else low = nextKey(last.key);
  }
}

/** Of rows with the same key only that of the newest layer is given. */
function* merge(scans: readonly Generator<StoredRow>[], reverse: boolean): Generator<StoredRow> {
  const heads = scans.map((scan) => scan.next());
  for (;;) {
    let best: StoredRow | null = null;
    for (const head of heads) {
      if (head.done === true) continue;
      const isFirst = best === null || (reverse ? head.value.key >= best.key : head.value.key <= best.key);
      if (isFirst) best = head.value;
    }
    if (best === null) return;
    yield best;
    for (const [at, scan] of scans.entries()) {
      const head = heads[at];
      if (head?.done === false && head.value.key === best.key) heads[at] = scan.next();
    }
  }
}

const greater = (a: string, b: string): string => (a > b ? a : b);
const smaller = (a: string, b: string): string => (a < b ? a : b);
