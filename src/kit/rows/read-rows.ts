/** Reads the rows of views that are up to date: the file as it is, and in memory what the ledgers have beyond it. */
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { foldBatches, type FoldSources, LARGE_BATCH, withRepair } from '../../core/ledger/follower.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { type ViewFolds, versionOfView, viewsFile } from './views-writer.ts';

export type RowOptions = {
  /** Ends the reading with the reason of the signal. */
  signal?: AbortSignal;
  /** Called while events are folded: how many so far. */
  onFolded?: (events: number) => void;
};

export async function withRows<T>(
  home: Pick<Home, 'oka'> & Pick<FoldSources, 'ledgers'>,
  { folds, shape }: ViewFolds,
  query: (rows: Rows) => T | Promise<T>,
  options: RowOptions = {},
): Promise<T> {
  const store = FoldStore.openReadOnly(viewsFile(home), shape);
  try {
    return await withRepair(store, async () => {
      await foldTail(store, { ledgers: home.ledgers, folds }, options);
      return query(store);
    });
  } finally {
    store.close();
  }
}

/**
 * The same with one view alone, so that no other one is loaded: for a view that folds events of the run ledger only, and
 * reads no rows but its own. It finds no texts.
 */
export function withRowsOf<T>(
  home: Home,
  view: View,
  query: (rows: Rows) => T | Promise<T>,
  options: RowOptions = {},
): Promise<T> {
  const shape = { version: versionOfView(view), sharesRows: true, isPart: true };
  return withRows({ ...home, ledgers: { run: home.ledgers.run } }, { folds: [view], shape }, query, options);
}

/** Folds into memory what the ledgers have beyond the rows. */
export async function foldTail(
  store: FoldStore,
  sources: FoldSources,
  { signal, onFolded }: RowOptions,
): Promise<void> {
  let count = 0;
  signal?.throwIfAborted();
  for await (const events of foldBatches(store, sources, { batch: LARGE_BATCH, ...(signal && { signal }) })) {
    count += events.length;
    onFolded?.(count);
  }
  signal?.throwIfAborted(); // the rows are incomplete
}
