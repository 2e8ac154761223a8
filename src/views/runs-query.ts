/** Owns: lists of runs and one run, from the rows of the view of runs. Reads no ledger. */
import { isInside } from '../engine/child-terms.ts';
import type { Rows } from '../schema/rows.ts';
import { hasWords, wordsIn } from '../schema/text-words.ts';
import { type RunDetail, RunsQuery, type RunSummary } from '../schema/view-answers.ts';
import { endedPrefix, openRuns, rowKey, type RunRow, rowsPrefix, seqKey, storedRun } from './run-rows.ts';

/** In the order in which they began, the latest last. */
export function listRuns(rows: Rows, given: RunsQuery = {}): RunSummary[] {
  const query = RunsQuery.parse(given);
  const found: RunSummary[] = [];
  const most = query.limit === 0 ? Number.POSITIVE_INFINITY : query.limit;
  for (const row of candidates(rows, query)) {
    if (query.since !== undefined && row.started < query.since) break; // runs begin in the order of their first events
    if (matches(row, query)) found.push(summaryOf(row));
    if (found.length >= most) break;
  }
  return found.toReversed();
}

/** The status of a run; undefined when there is no such run. */
export function runDetail(rows: Rows, run: string): RunDetail | undefined {
  const row = storedRun(rows, run);
  if (row === undefined) return undefined;
  const { steps: _steps, waits: _waits, ...summary } = summaryOf(row);
  return {
    ...summary,
    depth: row.depth,
    graph: row.graph,
    ledger: { first: row.received, last: row.last },
    steps: row.nodes,
    waits: row.waits,
    children: row.children.flatMap((child) => present(storedRun(rows, child)).map(summaryOf)),
  };
}

export function summaryOf(row: RunRow): RunSummary {
  const { run, title, status, started, ended, parent, link, state, reason, nodes, waits, spent, received } = row;
  const done = nodes.filter((node) => node.status === 'done').length;
  const steps = { done, all: nodes.length };
  return {
    run,
    title,
    status,
    started,
    ended,
    parent,
    ...(link === undefined ? {} : { link }),
    state,
    reason,
    steps,
    waits: waits.length,
    cost: spent,
    cursor: received,
  };
}

type Query = ReturnType<typeof RunsQuery.parse>;

/** From the latest to the first, by the shortest list that has them all. */
function* candidates(rows: Rows, { status, after }: Query): Generator<RunRow> {
  switch (status) {
    case undefined:
    case 'done':
      for (const [, row] of rows.each<RunRow>(rowsPrefix, { reverse: true, ...behind(rowsPrefix, after) })) yield row;
      return;
    case 'failed':
    case 'cancelled':
      for (const [, run] of rows.each<string>(endedPrefix(status), {
        reverse: true,
        ...behind(endedPrefix(status), after),
      }))
        yield* present(storedRun(rows, run));
      return;
    case 'running':
    case 'blocked':
    case 'paused':
      for (const received of openRuns(rows).toReversed())
        if (received < (after ?? Number.POSITIVE_INFINITY)) yield* present(rows.get<RunRow>(rowKey(received)));
  }
}

const behind = (prefix: string, after: number | undefined): { before?: string } =>
  after === undefined ? {} : { before: prefix + seqKey(after) };

const present = (row: RunRow | undefined): RunRow[] => (row === undefined ? [] : [row]);

function matches(row: RunRow, { status, text, all }: Query): boolean {
  if (status !== undefined && row.status !== status) return false;
  if (!all && isInside(row)) return false;
  return text === undefined || hasWords(row.title, wordsIn(text));
}
