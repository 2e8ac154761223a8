/** Owns: the fold of which runs a graph had, so that they are found without reading the runs of all others. */
import type { Rows } from '../schema/rows.ts';
import type { RunStatus } from '../schema/run.ts';
import type { View } from '../schema/view.ts';
import { type RunRow, seqKey, storedRun } from './run-rows.ts';

const prefixOf = (graph: string): string => `graph-run/${graph}/`;

export const graphRunView: View = {
  name: 'graph-run',
  version: 1,
  types: ['run.started'],
  take: ({ event }, rows) => {
    if (event.type !== 'run.started' || event.pen !== 'run' || event.run === null) return;
    rows.put(prefixOf(event.data.graph.id) + seqKey(event.seq), event.run);
  },
};

export type GraphRunsQuery = {
  graph: string;
  /** 0 for all. */
  limit: number;
  /** Only runs with one of these; all when left out. */
  statuses?: readonly RunStatus[];
  /** Only runs that began before this event. */
  before?: number;
};

/** The latest first. */
export function runsOfGraph(rows: Rows, { graph, limit, statuses, before }: GraphRunsQuery): RunRow[] {
  const found: RunRow[] = [];
  const range = before === undefined ? {} : { before: prefixOf(graph) + seqKey(before) };
  for (const [, run] of rows.each<string>(prefixOf(graph), { reverse: true, ...range })) {
    const row = storedRun(rows, run);
    if (row === undefined || statuses?.includes(row.status) === false) continue;
    found.push(row);
    if (limit > 0 && found.length >= limit) break;
  }
  return found;
}
