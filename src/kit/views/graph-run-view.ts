/** Owns: the fold of which runs a graph had, so that they are found without reading the runs of all others. */
import type { Rows } from '../../core/schema/rows.ts';
import type { RunStatus } from '../../core/schema/run.ts';
import type { View } from '../../core/schema/view.ts';
import { BLOCK } from './event-index.ts';
import { type RunRow, seqKey, storedRun } from './run-rows.ts';

const prefixOf = (graph: string): string => `graph-run/${graph}/`;
const keyOf = (graph: string, seq: number): string => prefixOf(graph) + seqKey(Math.floor(seq / BLOCK));

/** A run of a graph, and the event that started it. A row has those that started in one block of events. */
type Start = [seq: number, run: string];

export const graphRunView: View = {
  name: 'graph-run',
  version: 2,
  types: ['run.started'],
  take: ({ event }, rows) => {
    if (event.type !== 'run.started' || event.pen !== 'run' || event.run === null) return;
    const key = keyOf(event.data.graph.id, event.seq);
    rows.put(key, [...(rows.get<Start[]>(key) ?? []), [event.seq, event.run]]);
  },
};

type GraphRunsQuery = {
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
  for (const run of startedBefore(rows, graph, before)) {
    const row = storedRun(rows, run);
    if (row === undefined || statuses?.includes(row.status) === false) continue;
    found.push(row);
    if (limit > 0 && found.length >= limit) break;
  }
  return found;
}

/** Names of runs, the latest first. */
function* startedBefore(rows: Rows, graph: string, before = Number.POSITIVE_INFINITY): Generator<string> {
  const range = Number.isFinite(before) ? { before: keyOf(graph, before + BLOCK) } : {};
  for (const [, starts] of rows.each<Start[]>(prefixOf(graph), { reverse: true, ...range }))
    for (const [seq, run] of starts.toReversed()) if (seq < before) yield run;
}
