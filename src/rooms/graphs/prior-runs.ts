/** Owns: what earlier runs of a graph were started with, and how they ended. */
import { readEvents } from '../../core/ledger/read-events.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import type { PriorRun, PriorRunsQuery } from '../../core/schema/prior-run.ts';
import { runsOfGraph } from '../../kit/views/graph-run-view.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { RunRow } from '../../kit/views/run-rows.ts';

/** Gives the rows of all views to a query. */
type ReadRows = <T>(query: (rows: Rows) => T) => Promise<T>;

/** The latest first; with `before`, only runs that began before that event. */
export async function priorRuns(
  home: Home,
  readRows: ReadRows,
  { graph, status, limit, fields }: PriorRunsQuery,
  before?: number,
): Promise<Partial<PriorRun>[]> {
  const statuses = status === undefined ? {} : { statuses: [status].flat() };
  const range = before === undefined ? {} : { before };
  const rows = await readRows((all) => runsOfGraph(all, { graph, limit, ...statuses, ...range }));
  const runs: Partial<PriorRun>[] = [];
  for (const row of rows) runs.push(selectFields(await describeRun(home, row, fields), fields));
  return runs;
}

async function describeRun(home: Home, row: RunRow, fields: readonly string[]): Promise<PriorRun> {
  const { run, status, started, ended, reason } = row;
  const input = fields.includes('input') ? await inputOf(home, row) : null;
  const output = fields.includes('output') && ended !== null ? await outputOf(home, row) : null;
  return { run, status, started, ended, reason, input, output };
}

async function inputOf(home: Home, { run, first }: RunRow): Promise<Json> {
  for await (const event of readEvents(home.ledgers.run, { run, from: first, to: first }))
    if (event.type === 'run.started') return event.data.input;
  return null;
}

/** The end is nearly always the last event of a run; only what people did about it comes behind. */
async function outputOf(home: Home, { run, first, last }: RunRow): Promise<Json> {
  for (const from of [last, first])
    for await (const event of readEvents(home.ledgers.run, { run, from, to: last }))
      if (event.type === 'run.ended') return event.data.output;
  return null;
}

function selectFields(run: PriorRun, fields: readonly string[]): Partial<PriorRun> {
  return Object.fromEntries(Object.entries(run).filter(([name]) => fields.includes(name)));
}
