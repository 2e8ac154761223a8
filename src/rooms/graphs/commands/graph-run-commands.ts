/** Running graphs, and running them once more. */
import { loadGraph, loadRunnableGraph, type RunnableGraph } from '../../../kit/graphs/graph-files.ts';
import { carryOutRun } from '../../../kit/cli/await-run.ts';
import { nodeKinds } from '../../../kit/house/room-contributions.ts';
import { isOver } from '../../../core/engine/run-state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { Mode } from '../../../core/schema/run.ts';
import type { Json } from '../../../core/schema/json.ts';
import { pathOfRun } from '../../../kit/views/run-path.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { graphOperand } from '../graph-operand.ts';
import { inputOption } from '../../../kit/cli/operands.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome } from '../../../kit/cli/run-outcome.ts';
import { buildGraph } from '../kinds/build-graph.ts';
import { taskGraph } from '../../../kit/task/task-loop.ts';
import { type RunRow, storedRun } from '../../../kit/views/run-rows.ts';
import { listRuns } from '../../../kit/views/runs-query.ts';
import { findRunName, runOperand } from '../../../kit/cli/find-run.ts';
import { freeName, graphAt, graphNow, rowOfRun, startLinkedRun } from '../../../kit/cli/linked-runs.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { startFork } from '../../../kit/cli/fork-runs.ts';
import { renderSimulation, simulateGraph } from '../graph-simulation.ts';
import { choice, flag, parsedText, text } from '../../../kit/cli/options.ts';
import { parseSince } from '../../../kit/cli/option-values.ts';

const input = text('JSON', 'What the graph is given: JSON, a file with JSON, or - for stdin.');

const nodeInput = text('JSON', 'Another input for that node: JSON, a file, or - for stdin.');

const forkId = text('ID', 'Name of the new run (default: that of the run, with -fork).');

type Options = {
  input: string | undefined;
  id: string | undefined;
  until: string | undefined;
  mode: Mode | undefined;
  force: boolean;
};

type GraphRun = RunnableGraph & { id: string; input: Json; until: string | undefined };

type ReplayOptions = {
  from: string | undefined;
  at: string | undefined;
  graph: string | undefined;
  status: 'done' | 'failed' | 'cancelled' | undefined;
  since: string | undefined;
  yes: boolean;
};

type Bulk = { replayed: boolean; count: number; runs: string[] };

type ReplayData = RequestData | Bulk;

/** Graphs that no person wrote: a task is given again, and a graph is built again, by other commands. */
const OWN_GRAPHS: ReadonlySet<string> = new Set([taskGraph.id, buildGraph.id]);

export const commands: Commands = {
  'graph run': command({
    summary: 'Run a graph here and now; exit 0 only when it is done',
    operands: '<graph>',
    options: {
      input,
      id: text('ID', 'Name of the run (default: graph and time).'),
      until: text('NODE', 'Run only this node and what leads to it.'),
      mode: choice(
        ['strict', 'bounded', 'flex'],
        'MODE',
        'Another mode for this run; a tighter one than that of the graph.',
      ),
      force: flag('Also allow a looser mode; the run records that.'),
    },
    example: 'oka graph run report.json --input \'{"day":"2026-01-31"}\'',
    run: async (call) => {
      const { signal, options, rooms } = call;
      const asked = { mode: options.mode, isForced: options.force };
      const loaded = loadRunnableGraph(graphOperand(call), await nodeKinds(rooms), asked);
      const input = await inputOption(options.input, call.stdin, loaded.graph.inputs);
      const id = options.id ?? `${loaded.graph.id.slice(0, 40)}-${Date.now().toString(36)}`;
      const run: GraphRun = { ...loaded, id, input, until: options.until };
      const settled = await carryOutRun(call, toIntake(options, run), id);
      if (settled === null) throw new OkaError('in-doubt', `the run ${id} has not begun`);
      const { ended, events } = settled;
      const path = pathOfRun(events, new Set(loaded.graph.nodes.map((node) => node.id)));
      return answer({ ...outcomeOf(ended), path }, signal.aborted ? exits.interrupted : exitCodeOfRun(ended.status));
    },
    render: renderOutcome,
  }),
  'graph replay': command({
    summary: 'Run a graph once more with the input of an earlier run, or all runs that match',
    operands: '[<run>]',
    options: {
      from: text('NODE', 'Start at this node; what was done before it is reused.'),
      at: text('VERSION', 'version: the graph as the run had it (default); latest: as it is now; or a saved version.'),
      graph: text('FILE', 'The graph as it is now, if it is not in workspace/graphs.'),
      status: choice(['done', 'failed', 'cancelled'], 'STATUS', 'Without a run: all that ended so, such as failed.'),
      since: parsedText('WHEN', 'Without a run: all since a day, or so many days: 7d.', parseSince),
      yes: flag('Do not ask before several runs are replayed.'),
    },
    example: 'oka graph replay report-1 --from send',
    run: async (call) => {
      const { status, since } = call.options;
      if (call.operands.length === 0 && (status !== undefined || since !== undefined)) return replayAll(call);
      if (status !== undefined || since !== undefined)
        throw new OkaError('usage', '--status and --since choose runs; a run that is named is replayed anyway');
      return replayOne(call, await runOperand(call));
    },
    render: (data, terminal) => {
      if (!('replayed' in data)) return renderRequest(data, terminal);
      if (data.replayed) return `${count(data.count, 'run')} replayed\n`;
      if (data.count === 0) return 'No run matches.\n';
      return `${count(data.count, 'run')} would be replayed: ${data.runs.join(', ')}\nReplay them: add --yes\n`;
    },
    jsonLines: (data) => ('replayed' in data ? [data] : requestJson(data)),
  }),
  'graph resume': command({
    summary: 'Continue a failed run where it failed, with the graph as it is now; what was done is not repeated',
    operands: '<run>',
    options: { graph: text('FILE', 'The graph, if it is not in workspace/graphs.') },
    example: 'oka graph resume report-1',
    run: async (call) => {
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
    },
    render: renderRequest,
    jsonLines: requestJson,
  }),
  'graph fork': command({
    summary: 'Start at a node of an earlier run with another input, in a copy of the desk as it was then',
    operands: '<run> <node>',
    options: { input: nodeInput, id: forkId },
    example: 'oka graph fork report-1 send --input \'{"to":"ada"}\'',
    run: async (call) => {
      const [named, node, ...more] = call.operands;
      if (named === undefined || node === undefined || more.length > 0)
        throw new OkaError('usage', 'say which run, and at which node', { fix: 'oka graph fork <run> <node>' });
      return startFork(call, await findRunName(call, named), node);
    },
    render: renderRequest,
    jsonLines: requestJson,
  }),
  simulate: command({
    summary: 'Show which way a graph would go, its calls, and what the policy says to each; exit 1 if it refuses one',
    operands: '<graph>',
    options: { input },
    example: `oka simulate price-alarm --input '{"price":20}'`,
    run: async (call) => {
      const graph = loadGraph(graphOperand(call), await nodeKinds(call.rooms));
      const input = await inputOption(call.options.input, call.stdin, graph.inputs);
      const simulation = await simulateGraph(call, graph, input);
      return answer({ graph: graph.id, simulation }, simulation.isRefused ? exits.no : exits.ok);
    },
    render: ({ graph, simulation }, terminal) => renderSimulation(graph, simulation, terminal),
    jsonLines: ({ simulation }) => [simulation],
  }),
};

const toIntake = (
  { mode, force }: Pick<Options, 'mode' | 'force'>,
  { graph, text, id, input, until }: GraphRun,
): Intake => ({
  kind: 'run_graph',
  id,
  graph: graph.id,
  input,
  text,
  ...(until !== undefined && { until }),
  ...(mode !== undefined && { mode }),
  ...(force && { force }),
});

/** A new run with the input of the old one. */
async function replayOne(call: Call<ReplayOptions, ReplayData>, run: string): Promise<Answer<RequestData>> {
  const { from, at = 'version', graph: file } = call.options;
  const graph = await graphAt(call, await rowOfRun(call, run), file === undefined ? at : 'latest', file);
  const id = await readViews(call, (rows) => freeName(rows, run, 'replay'));
  const link = { kind: 'replay', run, ...(from === undefined ? {} : { node: from }) } as const;
  return startLinkedRun(call, { id, link }, graph);
}

/** Every run of a person's graph that matches, once the person has seen how many these are. */
async function replayAll(call: Call<ReplayOptions, ReplayData>): Promise<Answer<ReplayData>> {
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

function runsToReplay(call: Call<ReplayOptions, ReplayData>): Promise<string[]> {
  const { status, since } = call.options;
  const query = { limit: 0, ...(status === undefined ? {} : { status }), ...(since === undefined ? {} : { since }) };
  return readViews(call, (rows) =>
    listRuns(rows, query)
      .map(({ run }) => run)
      .filter((run) => !OWN_GRAPHS.has(storedRun(rows, run)?.graph ?? '')),
  );
}

async function isConfirmed(
  { options, openDialog }: Call<ReplayOptions, ReplayData>,
  runs: readonly string[],
): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`Replay ${count(runs.length, 'run')}? [y/N] `));
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
