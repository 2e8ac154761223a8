/** Owns: starting a graph of workspace/graphs on request. */
import { OkaError } from '../../schema/errors.ts';
import type { Home } from '../../schema/home.ts';
import type { Intake } from '../../schema/intake.ts';
import type { NodeKind } from '../../schema/node-kind.ts';
import type { ArtifactStore, ExecutionBackend } from '../../schema/ports.ts';
import type { RunHandle } from '../../schema/room.ts';
import { fileOfGraph, graphFile, loadRunnableGraph } from './graph-files.ts';
import { saveVersionOfRun, type VersionPorts } from './save-version.ts';
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
