/** Owns: what is wrong with nodes of contributed kinds by the rules of their kinds, with the place that a person wrote. */
import type { KindNode, NodeKind, SourceGraph } from '../schema/node-kind.ts';
import { edgesOf } from './branch-edges.ts';
import type { GraphProblem } from './graph-problem.ts';

export function kindProblems(source: SourceGraph, kinds: ReadonlyMap<string, NodeKind>): GraphProblem[] {
  const followed = followedBranches(source);
  return source.nodes.flatMap((node, index) => {
    const around = { mode: source.mode, followed: followed.get(node.id) ?? NONE };
    const own = problemsOf(node as KindNode, `nodes.${index}`, around, kinds);
    const each = node.kind === 'map' ? (node as { each?: KindNode }).each : undefined;
    return each === undefined
      ? own
      : [...own, ...problemsOf(each, `nodes.${index}.each`, { ...around, followed: null }, kinds)];
  });
}

const NONE: ReadonlySet<string> = new Set();

type Around = Parameters<NonNullable<NodeKind['problems']>>[1];

function problemsOf(
  node: KindNode,
  place: string,
  around: Around,
  kinds: ReadonlyMap<string, NodeKind>,
): GraphProblem[] {
  const found = kinds.get(node.kind)?.problems?.(node, around) ?? [];
  return found.map(({ field, ...problem }) => ({ path: `${place}.${field}`, ...problem }));
}

/** For each node the branches that edges follow. */
function followedBranches(source: SourceGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const followed = new Map<string, Set<string>>();
  for (const { edge } of edgesOf(source)) {
    const { from, when } = edge;
    if (when?.field !== 'branch' || typeof when.equals !== 'string') continue;
    followed.set(from, (followed.get(from) ?? new Set()).add(when.equals));
  }
  return followed;
}
