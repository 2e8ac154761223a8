/** Rows for a command. The first time, and without a worker, that may mean reading all of history: progress is shown. */
import { type ReadOptions, withViews } from '../daemon/views/open-views.ts';
import type { Rows } from '../schema/rows.ts';
import type { Call } from './command-module.ts';

export function readViews<T>(
  call: Pick<Call, 'home' | 'progress' | 'rooms' | 'signal'>,
  query: (rows: Rows) => T | Promise<T>,
): Promise<T> {
  return withReadingProgress(call, (reading) => withViews(call.home, query, { rooms: call.rooms, ...reading }));
}

/** Shows how many events have been read where that takes longer than two seconds; Ctrl-C ends it. */
export async function withReadingProgress<T>(
  { progress, signal }: Pick<Call, 'progress' | 'signal'>,
  work: (reading: Pick<ReadOptions, 'signal' | 'onFolded'>) => Promise<T>,
): Promise<T> {
  const shown = progress('Reading the ledgers', 'events');
  try {
    return await work({ signal, onFolded: (events) => shown.reach(events) });
  } finally {
    shown.end();
  }
}
