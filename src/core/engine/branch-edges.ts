/**
 * Owns: how the branches that people name become conditions of edges, and what is wrong with those names.
 * A node that chooses a branch says which one in the field `branch` of its output.
 */
import type { Edge } from '../schema/graph.ts';
import type { NodeKind, SourceEdge, SourceGraph, SourceNode } from '../schema/node-kind.ts';
import type { GraphProblem } from './graph-problem.ts';
import { errorBranch } from './node-failure.ts';

/** An edge of the engine and the place in the graph where a person wrote it. */
type PlacedEdge = { edge: Edge; place: string };

/** The edges of a graph, with those that its nodes name as `branches` and in `on_error`. */
export function edgesOf(source: SourceGraph): PlacedEdge[] {
  const written = source.edges.map((edge, index) => ({ edge: toEngineEdge(edge), place: `edges.${index}` }));
  const named = source.nodes.flatMap(({ id, branches = {} }, index) =>
    Object.entries(branches).map(([option, to]) => ({
      edge: toEngineEdge({ from: id, to, option }),
      place: `nodes.${index}.branches.${option}`,
    })),
  );
  const afterFailure = source.nodes.flatMap((node, index) => {
    const to = errorBranch(node);
    return to === null
      ? []
      : [{ edge: { from: node.id, to, failed: true as const }, place: `nodes.${index}.on_error` }];
  });
  return [...written, ...named, ...afterFailure];
}

export function hasBranches({ nodes, edges }: SourceGraph): boolean {
  return (
    nodes.some((node) => node.branches !== undefined || errorBranch(node) !== null) ||
    edges.some(({ option }) => option !== undefined)
  );
}

/** A node without the edges that it names. */
export function withoutBranches(node: SourceNode): SourceNode {
  if (node.branches === undefined) return node;
  const { branches: _, ...rest } = node;
  return rest;
}

function toEngineEdge({ option, ...edge }: SourceEdge): Edge {
  return option === undefined ? edge : { ...edge, when: { field: 'branch', equals: option } };
}

/** Edges with two conditions, and edges that follow a branch which their source cannot choose. */
export function branchProblems(source: SourceGraph, kinds: ReadonlyMap<string, NodeKind>): GraphProblem[] {
  const double = source.edges.flatMap(({ option, when }, index) =>
    option !== undefined && when !== undefined
      ? [{ path: `edges.${index}`, rule: 'branches', problem: 'an edge has either option or when, and not both' }]
      : [],
  );
  const names = new Map(source.nodes.map((node) => [node.id, branchNames(node, kinds)]));
  const unknown = edgesOf(source).flatMap(({ edge: { from, when }, place }) => {
    const known = names.get(from) ?? null;
    if (known === null || when?.field !== 'branch' || known.some((name) => name === when.equals)) return [];
    const problem = `"${from}" has no branch ${JSON.stringify(when.equals)}`;
    const fix = `Its branches are ${known.map((name) => JSON.stringify(name)).join(' and ')}.`;
    return [{ path: place, rule: 'branches', problem, fix }];
  });
  return [...double, ...unknown];
}

/** The branches that a node can choose; null where that is known only when it runs. */
function branchNames(node: SourceNode, kinds: ReadonlyMap<string, NodeKind>): readonly string[] | null {
  if (node.kind === 'typed_condition') return ['true', 'false'];
  return kinds.get(node.kind)?.branches?.(node as Parameters<NonNullable<NodeKind['branches']>>[0]) ?? null;
}
