/** Rows for a command. The first time, and without a worker, that may mean reading all of history: progress is shown. */
import { withViews } from '../daemon/views/open-views.ts';
import type { Rows } from '../schema/rows.ts';
import type { Call } from './command-module.ts';

export function readViews<T>(
  call: Pick<Call, 'home' | 'progress' | 'rooms'>,
  query: (rows: Rows) => T | Promise<T>,
): Promise<T> {
  return withReadingProgress(call, (onFolded) => withViews(call.home, query, { rooms: call.rooms, onFolded }));
}

/** Shows how many events have been read where that takes longer than two seconds. */
export async function withReadingProgress<T>(
  { progress }: Pick<Call, 'progress'>,
  work: (onFolded: (events: number) => void) => Promise<T>,
): Promise<T> {
  const shown = progress('Reading the ledgers', 'events');
  try {
    return await work((events) => shown.reach(events));
  } finally {
    shown.end();
  }
}
