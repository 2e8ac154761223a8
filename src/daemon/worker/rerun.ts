/** Owns: starting a run that is made from an earlier one, on request. */
import type { Drive } from '../../engine/drive.ts';
import { OkaError } from '../../schema/errors.ts';
import { Graph } from '../../schema/graph.ts';
import type { Intake } from '../../schema/intake.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { Runs } from '../port-types.ts';

type RerunPorts = { runs: Pick<Runs, 'startLinked'>; artifacts: Pick<ArtifactStore, 'get'> };

export async function rerun(
  { runs, artifacts }: RerunPorts,
  { id, link, graph }: Extract<Intake, { kind: 'rerun' }>,
): Promise<Drive> {
  return runs.startLinked({ id, link, ...(graph === undefined ? {} : { graph: await readGraph(artifacts, graph) }) });
}

async function readGraph(artifacts: Pick<ArtifactStore, 'get'>, sha256: string): Promise<Graph> {
  const parsed = Graph.safeParse(JSON.parse((await artifacts.get({ sha256 })).toString('utf8')));
  if (!parsed.success) throw new OkaError('invalid-graph', `the artifact ${sha256.slice(0, 12)} is not a graph`);
  return parsed.data;
}
