import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type RunRow, storedRun } from '../../../kit/views/run-rows.ts';
import { isOver } from '../../../core/engine/run-state.ts';
import { taskGraph } from '../../../kit/task/task-loop.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { freeName, graphNow, startLinkedRun } from '../../../kit/cli/linked-runs.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';

export async function run(call: Call<{ graph: string | undefined }>): Promise<Answer<RequestData>> {
  const given = await runOperand(call);
  const { row, id } = await readViews(call, (rows) => {
    const last = lastOfChain(rows, given);
    return { row: last, id: freeName(rows, last.run, 'again') };
  });
  if (row.status !== 'failed') return resumeOpen(call, given, row);
  if (row.graph === taskGraph.id) return requestRun(call, { kind: 'resume', run: row.run });
  const graph = await graphNow(call, row, call.options.graph);
  if (graph === null)
    call.notify(`There is no workspace/graphs/${row.graph}.json; it goes on with the graph as it was.`);
  return startLinkedRun(call, { id, link: { kind: 'resume', run: row.run } }, graph);
}

/** The run that has continued this one last; itself when none has. */
function lastOfChain(rows: Rows, run: string): RunRow {
  const row = storedRun(rows, run);
  if (row === undefined)
    throw new OkaError('no-such-run', `there is no run "${run}"`, { fix: 'List the runs: oka runs' });
  const next = row.children.findLast((child) => storedRun(rows, child)?.link?.kind === 'resume');
  return next === undefined ? row : lastOfChain(rows, next);
}

/** A run that has not ended goes on itself. */
function resumeOpen(call: Call, given: string, { run, status }: RunRow): Promise<Answer<RequestData>> {
  if (!isOver(status)) return requestRun(call, { kind: 'resume', run });
  const continued = run === given ? '' : `, which continued ${given},`;
  throw new OkaError('run-is-over', `run ${run}${continued} is ${status}; there is nothing to resume`, {
    fix: `Run it once more: oka graph replay ${given}`,
  });
}

export const render = renderRequest;
export const jsonLines = requestJson;
