/** Rows for a command. The first time, and without a worker, that may mean reading all of history: progress is shown. */
import { withViews } from '../daemon/views/open-views.ts';
import type { Rows } from '../schema/rows.ts';
import type { Call } from './command-module.ts';

export async function readViews<T>(
  { home, progress }: Pick<Call, 'home' | 'progress'>,
  query: (rows: Rows) => T | Promise<T>,
): Promise<T> {
  const shown = progress('Reading the ledgers', 'events');
  try {
    return await withViews(home, query, { onFolded: (events) => shown.reach(events) });
  } finally {
    shown.end();
  }
}
