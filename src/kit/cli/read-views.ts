/** Rows for a command. The first time, and without a worker, that may mean reading all of history: progress is shown. */
import { withViews } from '../house/open-views.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { Call } from './command-module.ts';
import { withReadingProgress } from './reading-progress.ts';

export function readViews<T>(
  call: Pick<Call, 'home' | 'progress' | 'rooms' | 'signal'>,
  query: (rows: Rows) => T | Promise<T>,
): Promise<T> {
  return withReadingProgress(call, (reading) => withViews(call.home, query, { rooms: call.rooms, ...reading }));
}
