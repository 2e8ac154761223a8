/** A graph made ready to run: names as numbers, and for each node what comes before and behind it. */
import type { Edge, Graph, Node } from '../schema/graph.ts';
import type { StateGraph } from './agent-states.ts';

export type Plan = {
  graph: Graph;
  states: StateGraph;
  sha256: string;
  index: ReadonlyMap<string, number>;
  /** Nodes that must be settled before a node may start: its needs and the sources of forward edges to it. */
  before: readonly (readonly number[])[];
  /** Nodes for which a node is one of those. */
  behind: readonly (readonly number[])[];
  /** Positions in graph.edges. An edge with `max` leads back; the others lead forward. */
  forwardTo: readonly (readonly number[])[];
  backFrom: readonly (readonly number[])[];
};

/** The graph must have passed checkGraph. */
export function planOf(graph: Graph, sha256: string, states: StateGraph): Plan {
  const index = new Map(graph.nodes.map((node, position) => [node.id, position]));
  const at = (id: string): number => index.get(id) ?? -1;
  const before = graph.nodes.map((node) => node.needs.map(at));
  const forwardTo = graph.nodes.map((): number[] => []);
  const backFrom = graph.nodes.map((): number[] => []);
  graph.edges.forEach((edge, position) => {
    if (leadsBack(edge)) backFrom[at(edge.from)]?.push(position);
    else {
      forwardTo[at(edge.to)]?.push(position);
      before[at(edge.to)]?.push(at(edge.from));
    }
  });
  const sources = before.map(withoutDuplicates);
  const behind = graph.nodes.map((): number[] => []);
  sources.forEach((each, position) => each.forEach((source) => behind[source]?.push(position)));
  return { graph, sha256, states, index, before: sources, behind, forwardTo, backFrom };
}

export function withoutDuplicates(numbers: number[]): number[] {
  return numbers.length < 2 ? numbers : [...new Set(numbers)];
}

/** Every node behind those it needs. */
export function topologicalOrder(plan: Plan): number[] {
  const unmet = plan.before.map((sources) => sources.length);
  const order = unmet.flatMap((count, node) => (count === 0 ? [node] : []));
  for (const node of order)
    for (const next of plan.behind[node] ?? []) {
      unmet[next] = (unmet[next] ?? 0) - 1;
      if (unmet[next] === 0) order.push(next);
    }
  return order;
}

export function leadsBack(edge: Edge): boolean {
  return edge.max !== undefined;
}

/** A node and everything that comes behind it. */
export function downstreamOf(plan: Plan, node: number): Set<number> {
  const found = new Set([node]);
  for (const each of found) for (const next of plan.behind[each] ?? []) found.add(next);
  return found;
}

export function nodeTitle(node: Node): string {
  return node.title ?? node.id;
}
