/** Owns: how many runs there were and how they ended, counted as they happen. Runs inside others are not counted. */
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { storedRun } from '../../kit/views/run-rows.ts';

type RunCounts = { started: number; done: number; failed: number; cancelled: number };

const key = 'run-count/all';

/** It reads rows of the view of runs, which therefore comes before it. */
export const runCountView: View = {
  name: 'run-count',
  version: 1,
  types: ['run.started', 'run.ended'],
  take: ({ event }, rows) => {
    if (event.pen !== 'run' || event.run === null) return;
    if (event.type === 'run.started' && event.data.depth === 0) count(rows, 'started');
    else if (event.type === 'run.ended' && storedRun(rows, event.run)?.depth === 0) count(rows, event.data.status);
  },
};

export const runCounts = (rows: Rows): RunCounts =>
  rows.get<RunCounts>(key) ?? { started: 0, done: 0, failed: 0, cancelled: 0 };

function count(rows: Rows, what: keyof RunCounts): void {
  const counts = runCounts(rows);
  rows.put(key, { ...counts, [what]: counts[what] + 1 });
}
