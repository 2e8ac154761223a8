/** Owns: in which order the nodes of a graph can be settled, and what is surely known before each. */
import type { Graph } from '../schema/graph.ts';
import { leadsBack, withoutDuplicates } from './graph-plan.ts';

/** For each node every node that has surely been settled before it; null when there is a cycle. */
export function ancestorsOf(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> | null {
  const before = predecessors(graph, names);
  const order = settlingOrder(before);
  if (order.length < graph.nodes.length) return null;
  const found = new Map<string, ReadonlySet<string>>();
  for (const node of order) found.set(idAt(graph, node), knownBefore(graph, before[node] ?? [], found, wanted));
  return found;
}

/** The nodes in an order in which they can be settled; those in a cycle, or behind one, are missing. */
export function settlingOrder(before: readonly (readonly number[])[]): number[] {
  const open = before.map((sources) => sources.length);
  const behind = before.map((): number[] => []);
  before.forEach((sources, node) => sources.forEach((source) => behind[source]?.push(node)));
  const order = open.flatMap((count, node) => (count === 0 ? [node] : []));
  for (const node of order)
    for (const next of behind[node] ?? []) {
      open[next] = (open[next] ?? 0) - 1;
      if (open[next] === 0) order.push(next);
    }
  return order;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Only names that some template or edge back asks for are carried along, so that large graphs stay cheap. */
function knownBefore(
  graph: Graph,
  sources: readonly number[],
  found: ReadonlyMap<string, ReadonlySet<string>>,
  wanted: ReadonlySet<string>,
): ReadonlySet<string> {
  if (wanted.size === 0) return NOTHING;
  const known = new Set<string>();
  for (const source of sources) {
    const id = idAt(graph, source);
    if (wanted.has(id)) known.add(id);
    for (const name of found.get(id) ?? []) known.add(name);
  }
  return known;
}

/** The nodes that templates and edges back ask for. */
export function wantedOf(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  asked: readonly (readonly string[])[],
): Set<string> {
  const wanted = new Set<string>();
  for (const all of asked) for (const name of all) if (names.has(name)) wanted.add(name);
  for (const edge of graph.edges) if (leadsBack(edge)) wanted.add(edge.to);
  return wanted;
}

export function predecessors(graph: Graph, names: ReadonlyMap<string, number>): number[][] {
  const before = graph.nodes.map(({ needs }) => needs.flatMap((need) => names.get(need) ?? []));
  for (const edge of graph.edges) {
    const [from, to] = [names.get(edge.from), names.get(edge.to)];
    if (!leadsBack(edge) && from !== undefined && to !== undefined) before[to]?.push(from);
  }
  return before.map(withoutDuplicates);
}

function idAt(graph: Graph, node: number): string {
  return graph.nodes[node]?.id ?? '';
}
