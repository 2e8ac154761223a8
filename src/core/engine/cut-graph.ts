/** The part of a graph that is needed for one node. */
import { OkaError } from '../schema/errors.ts';
import type { Graph, Node } from '../schema/graph.ts';
import { leadsBack } from './graph-plan.ts';
import { errorBranch } from './node-failure.ts';
import { pinOf } from './pinned-nodes.ts';

/** A graph with this node as its end, and only the nodes that lead to it; nothing leads to a pinned node. */
export function cutGraph(graph: Graph, last: string): Graph {
  if (!graph.nodes.some(({ id }) => id === last))
    throw new OkaError('usage', `the graph "${graph.id}" has no node "${last}"`, {
      fix: `See its nodes: oka graph show ${graph.id}`,
    });
  const needed = nodesBefore(graph, last);
  const isKept = ({ from, to, failed }: Graph['edges'][number]): boolean =>
    needed.has(from) &&
    needed.has(to) &&
    pinOf(graph, to) === undefined &&
    !(failed && pinOf(graph, from) !== undefined);
  return {
    ...graph,
    nodes: graph.nodes.filter(({ id }) => needed.has(id)).map((node) => cutNode(graph, node, needed)),
    edges: graph.edges.filter(isKept),
    ...(graph.pins === undefined ? {} : { pins: pinsOf(graph, needed) }),
  };
}

function nodesBefore(graph: Graph, last: string): Set<string> {
  const byName = new Map(graph.nodes.map((node) => [node.id, node]));
  const sources = new Map<string, string[]>();
  for (const edge of graph.edges)
    if (!leadsBack(edge)) sources.set(edge.to, [...(sources.get(edge.to) ?? []), edge.from]);
  const found = new Set([last]);
  for (const id of found) {
    if (pinOf(graph, id) !== undefined) continue;
    for (const before of [...(byName.get(id)?.needs ?? []), ...(sources.get(id) ?? [])]) found.add(before);
  }
  return found;
}

/** Nothing leads to a pinned node, and a failure that led to a node which is left out ends the run. */
function cutNode(graph: Graph, node: Node, needed: ReadonlySet<string>): Node {
  if (pinOf(graph, node.id) !== undefined) return { ...node, needs: [], on_error: 'fail' };
  const target = errorBranch(node);
  return target === null || needed.has(target) ? node : { ...node, on_error: 'fail' };
}

const pinsOf = ({ pins = {} }: Graph, needed: ReadonlySet<string>): NonNullable<Graph['pins']> =>
  Object.fromEntries(Object.entries(pins).filter(([id]) => needed.has(id)));
