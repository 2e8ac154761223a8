import type { RowOptions } from '../rows/read-rows.ts';
import type { Call } from './command-module.ts';

/** Shows how many events have been read where that takes longer than two seconds; Ctrl-C ends it. */
export async function withReadingProgress<T>(
  { progress, signal }: Pick<Call, 'progress' | 'signal'>,
  work: (reading: Required<RowOptions>) => Promise<T>,
): Promise<T> {
  const shown = progress('Reading the ledgers', 'events');
  try {
    return await work({ signal, onFolded: (events) => shown.reach(events) });
  } finally {
    shown.end();
  }
}
