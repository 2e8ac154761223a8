/** Owns: the runs that ended last, without reading history. */
import { isInside } from '../../core/engine/child-terms.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { RunSummary } from '../../core/schema/view-answers.ts';
import { type RunRow, rowsPrefix, storedRun } from './run-rows.ts';
import { summaryOf } from './runs-query.ts';

/** Rows are ordered by when runs began; so many of the latest are searched for those that ended. */
const SEARCHED = 100;

/**
 * The latest first. `known` names runs that are known to have ended lately, such as those in active_task_graph.json:
 * among them are runs that began long ago.
 */
export function listRecentlyEnded(rows: Rows, known: readonly string[], most: number): RunSummary[] {
  const latest = [...rows.each<RunRow>(rowsPrefix, { reverse: true, limit: SEARCHED })].map(([, row]) => row);
  const named = known.flatMap((run) => storedRun(rows, run) ?? []);
  const found = new Map([...latest, ...named].map((row) => [row.run, row]));
  return [...found.values()]
    .filter((row) => row.ended !== null && !isInside(row))
    .toSorted((a, b) => ((a.ended ?? '') < (b.ended ?? '') ? 1 : -1))
    .slice(0, most)
    .map((row) => summaryOf(rows, row));
}
