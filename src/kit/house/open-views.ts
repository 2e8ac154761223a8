/**
 * Owns: the rows of all views, in .oka/index/views.sqlite, and how they are opened to be read.
 * Does not own: what is folded (each view), nor following the ledgers (core/ledger/follower.ts).
 *
 * V1 Whoever has the pen of the run ledger writes the file (views-writer.ts), nobody else.
 * V2 Others read the file as it is and fold in memory what the ledgers have beyond it: also from a read-only mount,
 *    without a worker, and when there is no file.
 */
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { catchUp, LARGE_BATCH } from '../../core/ledger/follower.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { firstEventOf, storedRun } from '../views/run-rows.ts';
import { type HouseRoom, roomsOf } from './house.ts';
import { type RowOptions, withRows } from '../rows/read-rows.ts';
import { type RowsReader, rowsReader } from '../rows/rows-reader.ts';
import { type ViewFolds, versionOfView, viewsFile } from '../rows/views-writer.ts';

/** What all rooms fold, in the order of the list of rooms, and the store it is folded into. */
export async function viewFolds(given?: readonly HouseRoom[]): Promise<ViewFolds> {
  const list = await roomsOf(given);
  const folds = (await Promise.all(list.map(async (room) => (await room.views?.()) ?? []))).flat();
  const version = folds.map(versionOfView).join(' ');
  return { folds, shape: { version, sharesRows: true, hasTexts: true } };
}

export type ReadOptions = RowOptions & {
  /** Whose views there are; all rooms of the product when left out. */
  rooms?: readonly HouseRoom[] | undefined;
};

/** Lets `query` read rows that are up to date. */
export async function withViews<T>(
  home: Home,
  query: (rows: Rows) => T | Promise<T>,
  options: ReadOptions = {},
): Promise<T> {
  return withRows(home, await viewFolds(options.rooms), query, options);
}

/** For a process that reads rows often and writes nothing. */
export const openRowsReader = (home: Home, list?: readonly HouseRoom[]): RowsReader =>
  rowsReader(home, () => viewFolds(list));

/** Throws the rows away and folds both ledgers from their first events on. For whoever has the pen (V1). */
export async function rebuildViews(home: Home): Promise<void> {
  const { folds, shape } = await viewFolds();
  const store = FoldStore.open(viewsFile(home), shape);
  try {
    store.reset();
    await catchUp(store, { ledgers: home.ledgers, folds }, { batch: LARGE_BATCH });
  } finally {
    store.close();
  }
}

/** Where the events of a run are in the run ledger; an empty range when there is no such run. */
export function rangeOfRun(home: Home, run: string, options: ReadOptions = {}): Promise<{ from: number; to: number }> {
  const read = (rows: Rows): { from: number; to: number } => {
    const received = firstEventOf(rows, run);
    return received === undefined
      ? { from: 1, to: 0 }
      : { from: received, to: storedRun(rows, run)?.last ?? Number.POSITIVE_INFINITY };
  };
  return withViews(home, read, options);
}
