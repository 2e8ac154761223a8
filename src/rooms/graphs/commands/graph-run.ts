import { saveVersionOfRun } from '../../../kit/graphs/save-version.ts';
import { loadRunnableGraph, type RunnableGraph } from '../../../kit/graphs/graph-files.ts';
import type { Host } from '../../../kit/house/host.ts';
import { awaitRun } from '../../../kit/cli/await-run.ts';
import { askOrDo, withHost } from '../../../kit/cli/host-here.ts';
import { requestOfWorker } from '../../../kit/cli/submitted.ts';
import { nodeKinds } from '../../../kit/house/room-contributions.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import { cutGraph } from '../../../core/engine/cut-graph.ts';
import type { RunState } from '../../../core/engine/run-state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Mode } from '../../../core/schema/run.ts';
import type { Json } from '../../../core/schema/json.ts';
import { knownNow } from '../../../kit/views/changes.ts';
import { pathOfRun } from '../../../kit/views/run-path.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { graphOperand } from '../graph-operand.ts';
import { inputOption } from '../../../kit/cli/operands.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from '../../../kit/cli/run-outcome.ts';

const { ledger, projections, artifacts } = ports;

type Options = {
  input: string | undefined;
  id: string | undefined;
  until: string | undefined;
  mode: Mode | undefined;
  force: boolean;
};

/** `path`: the nodes that ran, in order. */
type GraphOutcome = RunOutcome & { path: string[] };

export async function run(call: Call<Options>): Promise<Answer<GraphOutcome>> {
  const { signal, options, rooms } = call;
  const asked = { mode: options.mode, isForced: options.force };
  const loaded = loadRunnableGraph(graphOperand(call), await nodeKinds(rooms), asked);
  const input = await inputOption(options.input, call.stdin);
  const id = options.id ?? `${loaded.graph.id.slice(0, 40)}-${Date.now().toString(36)}`;
  const run: GraphRun = { ...loaded, id, input, until: options.until };
  const { ended, path } = await askOrDo(async () => (await runByWorker(call, run)) ?? (await runHere(call, run)));
  return answer({ ...outcomeOf(ended), path }, signal.aborted ? exits.interrupted : exitCodeOfRun(ended.status));
}

type GraphRun = RunnableGraph & { id: string; input: Json; until: string | undefined };
type Ended = { ended: RunState; path: string[] };

/** Null when there is no worker. */
async function runByWorker(
  { home, signal, options: { mode, force } }: Call<Options>,
  { graph, text, id, input, until }: GraphRun,
): Promise<Ended | null> {
  const known = knownNow(home.ledgers, ['run']);
  const chosen = {
    ...(until !== undefined && { until }),
    ...(mode !== undefined && { mode }),
    ...(force && { force }),
  };
  const asked = await requestOfWorker(
    { home, signal },
    { kind: 'run_graph', id, graph: graph.id, input, text, ...chosen },
  );
  if (asked === null) return null;
  const seen = await awaitRun(home, id, known, signal);
  if (seen === null) throw new OkaError('refused', `the worker has the request and has not begun ${id} yet`);
  const nodes = new Set(graph.nodes.map((node) => node.id));
  return { ended: seen.ended, path: pathOfRun(seen.events, nodes) };
}

function runHere({ home, signal, options, rooms, notify }: Call<Options>, run: GraphRun): Promise<Ended> {
  const { graph: whole, text, id, input, until, ...loosened } = run;
  const graph = until === undefined ? whole : cutGraph(whole, until);
  const title = until === undefined ? {} : { title: `${whole.title ?? whole.id} (until ${until})` };
  const start = async ({ engine, valuesOf }: Host): Promise<Ended> => {
    if (options.id !== undefined && (await engine.stateOf(id)) !== null) throw nameIsTaken(id);
    const drive = await engine.start(graph, { id, input, ...title, ...loosened });
    await saveVersionOfRun(valuesOf({ ledger, projections, artifacts }), graph.id, text);
    const ended = await drive.done;
    const nodes = new Set(graph.nodes.map((node) => node.id));
    return { ended, path: pathOfRun(await engine.eventsOf(id), nodes) };
  };
  return withHost(home, signal, start, { rooms, warn: notify });
}

export const render = renderOutcome;

function nameIsTaken(id: string): OkaError {
  return new OkaError('usage', `there is a run "${id}" already, and a name means one run`, {
    fix: `Choose another name, or show it: oka show ${id}`,
  });
}
