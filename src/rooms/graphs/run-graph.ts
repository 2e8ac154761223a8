/** Owns: starting a graph of workspace/graphs on request, or the one that asks a model to write a graph. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { ArtifactStore, ExecutionBackend } from '../../core/schema/ports.ts';
import type { RunHandle } from '../../core/schema/room.ts';
import { cutGraph } from '../../core/engine/cut-graph.ts';
import {
  fileOfGraph,
  graphFile,
  loadRunnableGraph,
  type RunnableGraph,
  runnableGraph,
} from '../../kit/graphs/graph-files.ts';
import { saveVersionOfRun, type VersionPorts } from '../../kit/graphs/save-version.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { buildGraph } from './kinds/build-graph.ts';
import { beginRun } from '../../kit/begin-run.ts';

type RunPorts = VersionPorts & {
  home: Home;
  runs: Pick<Runs, 'stateOf'>;
  backend: ExecutionBackend;
  artifacts: ArtifactStore;
  nodeKinds: readonly NodeKind[];
};

type Asked = Omit<Extract<Intake, { kind: 'run_graph' }>, 'kind'>;

export async function runGraph(
  { home, runs, backend, nodeKinds, ...ports }: RunPorts,
  asked: Asked,
): Promise<RunHandle> {
  const { id, input, until } = asked;
  const {
    graph: whole,
    text,
    ...loosened
  } = asked.graph === buildGraph.id ? { graph: buildGraph, text: null } : readAsked(home, nodeKinds, asked);
  if ((await runs.stateOf(id)) !== null)
    throw new OkaError('usage', `there is a run "${id}" already, and a name means one run`, {
      fix: `Choose another name, or show it: oka show ${id}`,
    });
  const graph = until === undefined ? whole : cutGraph(whole, until);
  const title = until === undefined ? {} : { title: `${whole.title ?? whole.id} (until ${until})` };
  const begun = await beginRun(backend, { kind: 'start', run: id, graph, input, ...title, ...loosened });
  if (text !== null) await saveVersionOfRun(ports, graph.id, text);
  return begun;
}

function readAsked(
  home: Home,
  kinds: readonly NodeKind[],
  { graph: name, text, mode, force = false }: Asked,
): RunnableGraph {
  const terms = { mode, isForced: force };
  if (text !== undefined) return runnableGraph(text, name, kinds, terms);
  const file = graphFile(home, name);
  if (file !== fileOfGraph(home, name))
    throw new OkaError('usage', `there is no graph "${name}" in workspace/graphs`, {
      fix: 'List the graphs: oka graph list',
    });
  return loadRunnableGraph(file, kinds, terms);
}
