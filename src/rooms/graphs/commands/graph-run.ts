import { saveVersionOfRun } from '../../../kit/graphs/save-version.ts';
import { loadRunnableGraph } from '../../../kit/graphs/graph-files.ts';
import type { Host } from '../../../kit/house/host.ts';
import { withHost } from '../../../kit/cli/host-here.ts';
import { nodeKinds } from '../../../kit/house/room-contributions.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import { cutGraph } from '../../../core/engine/cut-graph.ts';
import type { RunState } from '../../../core/engine/run-state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Mode } from '../../../core/schema/run.ts';
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
  const { home, signal, options, rooms, notify } = call;
  const asked = { mode: options.mode, isForced: options.force };
  const { graph: whole, text, ...loosened } = loadRunnableGraph(graphOperand(call), await nodeKinds(rooms), asked);
  const { until } = options;
  const graph = until === undefined ? whole : cutGraph(whole, until);
  const title = until === undefined ? {} : { title: `${whole.title ?? whole.id} (until ${until})` };
  const input = await inputOption(options.input, call.stdin);
  const id = options.id ?? `${graph.id.slice(0, 40)}-${Date.now().toString(36)}`;
  const start = async ({ engine, valuesOf }: Host): Promise<{ ended: RunState; path: string[] }> => {
    if (options.id !== undefined && (await engine.stateOf(id)) !== null) throw nameIsTaken(id);
    const drive = await engine.start(graph, { id, input, ...title, ...loosened });
    await saveVersionOfRun(valuesOf({ ledger, projections, artifacts }), graph.id, text);
    const ended = await drive.done;
    const nodes = new Set(graph.nodes.map((node) => node.id));
    return { ended, path: pathOfRun(await engine.eventsOf(id), nodes) };
  };
  const { ended, path } = await withHost(home, signal, start, { rooms, warn: notify });
  return answer({ ...outcomeOf(ended), path }, signal.aborted ? exits.interrupted : exitCodeOfRun(ended.status));
}

export const render = renderOutcome;

function nameIsTaken(id: string): OkaError {
  return new OkaError('usage', `there is a run "${id}" already, and a name means one run`, {
    fix: `Choose another name, or show it: oka show ${id}`,
  });
}
