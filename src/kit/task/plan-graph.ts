/** Graphs of plans: stored as artifacts and named after their content. */
import type { OpenFolder } from '../../core/schema/folder.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';

const PREFIX = 'plan-';

/** `folders` are those outside the desk that the task may use. */
export async function storePlanGraph(
  graph: Graph,
  artifacts: ArtifactStore,
  folders: readonly OpenFolder[] = [],
): Promise<{ graph: string; sha256: string }> {
  const { folders: _, ...planned } = graph;
  const stored: Graph = folders.length === 0 ? planned : { ...planned, folders: [...folders] };
  const { sha256 } = await artifacts.put(JSON.stringify(stored), { media: 'application/json', name: 'plan.json' });
  return { graph: `${PREFIX}${sha256}`, sha256 };
}

export async function readPlanGraph(id: string, artifacts: ArtifactStore): Promise<Graph | undefined> {
  if (!/^plan-[0-9a-f]{64}$/.test(id)) return undefined;
  return Graph.parse(JSON.parse((await artifacts.get({ sha256: id.slice(PREFIX.length) })).toString('utf8')));
}
