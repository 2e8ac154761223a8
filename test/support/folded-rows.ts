/** Rows of all views over events that were never written to a ledger, for tests of queries. */
import { viewFolds } from '../../src/kit/house/open-views.ts';
import { IN_MEMORY } from '../../src/core/ledger/fold-database.ts';
import { FoldStore } from '../../src/core/ledger/fold-store.ts';
import { checkEvent, type Event, type NewEvent } from '../../src/core/schema/event.ts';
import type { Rows } from '../../src/core/schema/rows.ts';

export type FoldedRows = Disposable & { rows: Rows; add: (events: readonly GivenEvent[]) => void };
/** An event, and when it happened; a second after the one before it when left out. */
type GivenEvent = NewEvent & { at?: string };

export async function openFoldedRows(): Promise<FoldedRows> {
  const { folds, shape } = await viewFolds();
  const store = FoldStore.open(IN_MEMORY, shape);
  let [seq, now] = [0, Date.UTC(2026, 0, 1)];
  const fold = ({ at, ...given }: GivenEvent): void => {
    now = at === undefined ? now + 1000 : Date.parse(at);
    const event = { ...checkEvent(given), seq: (seq += 1), at: new Date(now).toISOString(), pen: 'run' } as Event;
    for (const view of folds)
      if (view.types === undefined || view.types.includes(event.type)) view.take({ event, text: () => null }, store);
  };
  return {
    rows: store,
    add: (events) => store.transaction(() => events.forEach(fold)),
    [Symbol.dispose]: () => store.close(),
  };
}

/** The same rows, and a counter of those that were read. */
export function countedRows(rows: Rows): { rows: Rows; read: () => number } {
  let count = 0;
  const counted: Rows = {
    get: (key) => {
      count += 1;
      return rows.get(key);
    },
    put: (key, value) => rows.put(key, value),
    each: function* (prefix, range) {
      for (const row of rows.each<never>(prefix, range)) {
        count += 1;
        yield row;
      }
    },
    texts: rows.texts,
  };
  return { rows: counted, read: () => count };
}
