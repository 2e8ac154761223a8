import type { RowOptions } from '../rows/read-rows.ts';
import { findHistoryProblem } from '../home/sound-home.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Call } from './command-module.ts';

const checked = new WeakSet<Home>();

type ReadingCall = Pick<Call, 'home' | 'progress' | 'signal'> & Partial<Pick<Call, 'notify'>>;

/**
 * Shows how many events have been read where that takes longer than two seconds; Ctrl-C ends it. Whoever reads a history
 * that is not whole is told so, once a command.
 */
export async function withReadingProgress<T>(
  { home, progress, signal, notify }: ReadingCall,
  work: (reading: Required<RowOptions>) => Promise<T>,
): Promise<T> {
  const problem = checked.has(home) ? null : await findHistoryProblem(home);
  checked.add(home);
  if (problem !== null) notify?.(`${problem.what}. What is shown here may be out of date. ${problem.fix}`);
  const shown = progress('Reading the ledgers', 'events');
  try {
    return await work({ signal, onFolded: (events) => shown.reach(events) });
  } finally {
    shown.end();
  }
}
