/** The path of a run: the nodes that ran, in the order in which they started; a node in a loop once for each round. */
import type { Event } from '../../core/schema/event.ts';

/**
 * `nodes` are the names of the nodes of its graph: the items of a map and the parts of a node count as that node.
 * A node that was skipped or pinned, or whose outcome was reused from an earlier run, did not run.
 */
export function pathOfRun(events: readonly Event[], nodes: ReadonlySet<string>): string[] {
  const path: string[] = [];
  const started = new Set<string>();
  for (const event of events) {
    for (const node of restartedBy(event)) started.delete(writtenNode(node, nodes));
    const node = nodeAtWork(event);
    if (node === null) continue;
    const written = writtenNode(node, nodes);
    if (started.has(written)) continue;
    started.add(written);
    path.push(written);
  }
  return path;
}

function restartedBy({ data }: Event): readonly string[] {
  return 'restarts' in data ? (data.restarts ?? []) : [];
}

function nodeAtWork({ type, data }: Event): string | null {
  if (type === 'call.started' || type === 'wait.opened' || type === 'decision.made') return data.node;
  const isOwnEnd =
    type === 'node.settled' && data.status === 'done' && !/^(reused from run |pinned$)/.test(data.reason);
  return isOwnEnd ? data.node : null;
}

/** `report__0` is an item of the map `report`, `buy__ask` a part of the node `buy`. */
function writtenNode(id: string, nodes: ReadonlySet<string>): string {
  const base = id.slice(0, Math.max(0, id.lastIndexOf('__')));
  return nodes.has(base) ? writtenNode(base, nodes) : id;
}
