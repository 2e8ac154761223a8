/**
 * Owns: the rows of all views for a process that reads them often and writes nothing, such as the dashboard.
 *
 * 1. Readers take turns, and each sees rows that are up to date when its turn begins.
 * 2. The file is opened again after a while: a reader that stays on an old state of it makes its writer's log grow. What
 *    took long to fold is used for longer, so that folding never takes more than a small part of the time. It is closed
 *    at once when something was erased, which is only then gone from the log.
 */
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { withRepair } from '../../core/ledger/follower.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { foldTail } from './read-rows.ts';
import { type ViewFolds, viewsFile } from './views-writer.ts';
import { oneAtATime } from '../pause.ts';

export type RowsReader = {
  /** Lets `query` read rows that are up to date. */
  read: <T>(query: (rows: Rows) => T | Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

const SHORTEST_USE_MS = 2000;
const LONGEST_USE_MS = 600_000;
/** Folding takes at most one part in so many of the time. */
const SHARE = 50;

type Opened = { store: FoldStore; until: number; closing: NodeJS.Timeout };

/** `loadViews` returns the views of all rooms. */
export function rowsReader(home: Home, loadViews: () => Promise<ViewFolds>): RowsReader {
  let views: Promise<ViewFolds> | null = null;
  let opened: Opened | null = null;

  const close = (): void => {
    if (opened === null) return;
    clearTimeout(opened.closing);
    opened.store.close();
    opened = null;
  };
  const closeIn = (ms: number): NodeJS.Timeout => setTimeout(() => void inTurn(async () => close()), ms).unref();
  const open = async ({ folds, shape }: ViewFolds): Promise<FoldStore> => {
    if (opened !== null && performance.now() > opened.until) close();
    const store = opened?.store ?? FoldStore.openReadOnly(viewsFile(home), shape);
    const began = performance.now();
    try {
      await withRepair(store, () => foldTail(store, { ledgers: home.ledgers, folds }, {}));
    } catch (error) {
      if (opened === null) store.close();
      else close();
      throw error;
    }
    if (opened === null) {
      const now = performance.now();
      const ms = Math.min(LONGEST_USE_MS, Math.max(SHORTEST_USE_MS, (now - began) * SHARE));
      opened = { store, until: now + ms, closing: closeIn(ms + 1) };
    }
    if (store.keepsErased) closeIn(0); // after this turn
    return store;
  };
  const inTurn = oneAtATime();
  return {
    read: (query) =>
      inTurn(async () => {
        views ??= loadViews();
        return query(await open(await views));
      }),
    close: () => inTurn(async () => close()),
  };
}
