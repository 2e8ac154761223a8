/** Owns: recording versions of graphs in the ledger, each once. */
import { graphVersion, graphVersions, isNewVersion } from '../../core/engine/graph-versions.ts';
import type { GraphSaved } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { LedgerPort, ProjectionsPort } from '../ports/port-types.ts';

export type VersionPorts = { ledger: Pick<LedgerPort, 'append'>; projections: ProjectionsPort };

/** Resolves when the version is durable; one that is the latest already is not recorded again. */
export async function noteVersion({ ledger, projections }: VersionPorts, saved: GraphSaved): Promise<void> {
  if (isNewVersion(projections.stateOf(graphVersions), saved))
    await ledger.append({ type: 'graph.saved', data: saved });
}

/** Stores the graph that a run was started with, as it is written in `text`. */
export async function saveVersionOfRun(
  { ledger, projections, artifacts }: VersionPorts & { artifacts: ArtifactStore },
  graph: string,
  text: string,
): Promise<void> {
  const version = graphVersion(JSON.parse(text) as Json);
  const saved = { graph, version, cause: 'run' as const };
  if (!isNewVersion(projections.stateOf(graphVersions), saved)) return;
  const artifact = await artifacts.put(text, { media: 'application/json', name: `${graph}.json` });
  await noteVersion({ ledger, projections }, { ...saved, artifact });
}
