import { buildGraph } from '../kinds/build-graph.ts';
import { taskGraph } from '../../../kit/task/task-loop.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { listRuns } from '../../../kit/views/runs-query.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { freeName, graphAt, rowOfRun, startLinkedRun } from '../../../kit/cli/linked-runs.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { renderRequest, type RequestData, requestJson } from '../../../kit/cli/run-requests.ts';

type Options = {
  from: string | undefined;
  at: string | undefined;
  graph: string | undefined;
  status: 'done' | 'failed' | 'cancelled' | undefined;
  since: string | undefined;
  yes: boolean;
};
type Bulk = { replayed: boolean; count: number; runs: string[] };
type Data = RequestData | Bulk;

export async function run(call: Call<Options, Data>): Promise<Answer<Data>> {
  const { status, since } = call.options;
  if (call.operands.length === 0 && (status !== undefined || since !== undefined)) return replayAll(call);
  if (status !== undefined || since !== undefined)
    throw new OkaError('usage', '--status and --since choose runs; a run that is named is replayed anyway');
  return replayOne(call, await runOperand(call));
}

/** A new run with the input of the old one. */
async function replayOne(call: Call<Options, Data>, run: string): Promise<Answer<RequestData>> {
  const { from, at = 'version', graph: file } = call.options;
  const graph = await graphAt(call, await rowOfRun(call, run), file === undefined ? at : 'latest', file);
  const id = await readViews(call, (rows) => freeName(rows, run, 'replay'));
  const link = { kind: 'replay', run, ...(from === undefined ? {} : { node: from }) } as const;
  return startLinkedRun(call, { id, link }, graph);
}

/** Every run of a person's graph that matches, once the person has seen how many these are. */
async function replayAll(call: Call<Options, Data>): Promise<Answer<Data>> {
  const runs = await runsToReplay(call);
  const found = { count: runs.length, runs };
  if (runs.length === 0 || !(await isConfirmed(call, runs)))
    return answer({ replayed: false, ...found }, runs.length === 0 ? exits.ok : exits.no);
  const codes: number[] = [];
  for (const run of runs) {
    if (call.signal.aborted) return { code: exits.interrupted };
    const { data, code } = await replayOne(call, run);
    if (data !== undefined) call.emit(data);
    codes.push(code);
  }
  return answer({ replayed: true, ...found }, Math.max(...codes));
}

function runsToReplay(call: Call<Options, Data>): Promise<string[]> {
  const { status, since } = call.options;
  const query = { limit: 0, ...(status === undefined ? {} : { status }), ...(since === undefined ? {} : { since }) };
  return readViews(call, (rows) =>
    listRuns(rows, query)
      .map(({ run }) => run)
      .filter((run) => !OWN_GRAPHS.has(storedRun(rows, run)?.graph ?? '')),
  );
}

/** Graphs that no person wrote: a task is given again, and a graph is built again, by other commands. */
const OWN_GRAPHS: ReadonlySet<string> = new Set([taskGraph.id, buildGraph.id]);

async function isConfirmed({ options, openDialog }: Call<Options, Data>, runs: readonly string[]): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`Replay ${count(runs.length, 'run')}? [y/N] `));
}

export function render(data: Data, terminal: Terminal): string {
  if (!('replayed' in data)) return renderRequest(data, terminal);
  if (data.replayed) return `${count(data.count, 'run')} replayed\n`;
  if (data.count === 0) return 'No run matches.\n';
  return `${count(data.count, 'run')} would be replayed: ${data.runs.join(', ')}\nReplay them: add --yes\n`;
}

export const jsonLines = (data: Data): object[] => ('replayed' in data ? [data] : requestJson(data));
