/** Owns: starting a graph of workspace/graphs on request. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { ArtifactStore, ExecutionBackend } from '../../core/schema/ports.ts';
import type { RunHandle } from '../../core/schema/room.ts';
import { fileOfGraph, graphFile, loadRunnableGraph } from '../../kit/graphs/graph-files.ts';
import { saveVersionOfRun, type VersionPorts } from '../../kit/graphs/save-version.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { beginRun } from '../../kit/begin-run.ts';

type RunPorts = VersionPorts & {
  home: Home;
  runs: Pick<Runs, 'stateOf'>;
  backend: ExecutionBackend;
  artifacts: ArtifactStore;
  nodeKinds: readonly NodeKind[];
};

export async function runGraph(
  { home, runs, backend, nodeKinds, ...ports }: RunPorts,
  { id, graph: name, input }: Omit<Extract<Intake, { kind: 'run_graph' }>, 'kind'>,
): Promise<RunHandle> {
  const file = graphFile(home, name);
  if (file !== fileOfGraph(home, name))
    throw new OkaError('usage', `there is no graph "${name}" in workspace/graphs`, {
      fix: 'List the graphs: oka graph list',
    });
  const { graph, text } = loadRunnableGraph(file, nodeKinds);
  if ((await runs.stateOf(id)) !== null)
    throw new OkaError('usage', `there is a run "${id}" already, and a name means one run`, {
      fix: `Choose another name, or show it: oka show ${id}`,
    });
  const begun = await beginRun(backend, { kind: 'start', run: id, graph, input });
  await saveVersionOfRun(ports, graph.id, text);
  return begun;
}
