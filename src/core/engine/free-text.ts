/**
 * Owns: that what a person answered in free text is compared without regard to case and surrounding space. It is written
 * into the graph when that is read, so that a run decides as it did when it was started.
 */
import type { Condition } from '../schema/condition.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';

/** The same graph where no question is for free text. What says how its texts are compared stays. */
export function foldFreeText(graph: Graph): Graph {
  const asked = graph.nodes.filter(isFreeText).map(({ id }) => id);
  if (asked.length === 0) return graph;
  const isAnswer = (value: Json | undefined): boolean =>
    typeof value === 'string' && asked.includes(/^\{\{\s*([\w-]+)(?:\.answer)?\s*\}\}$/.exec(value.trim())?.[1] ?? '');
  const edges = graph.edges.map((edge) =>
    edge.when !== undefined && asked.includes(edge.from)
      ? { ...edge, when: { text: 'folded' as const, ...edge.when } }
      : edge,
  );
  const nodes = graph.nodes.map((node) =>
    node.kind === 'typed_condition' ? withFolding(node, (left) => isAnswer(left ?? node.input)) : node,
  );
  return { ...graph, nodes, edges };
}

const isFreeText = (node: Node): boolean =>
  node.kind === 'wait' && node.for.kind === 'question' && node.for.options === undefined;

function withFolding<T extends Condition>(condition: T, isAnswer: (left: Json | undefined) => boolean): T {
  const within = (all: Condition[] | undefined): Condition[] | undefined =>
    all?.map((each) => withFolding(each, isAnswer));
  const { all, any, not, operator, left } = condition;
  return {
    ...(operator !== undefined && isAnswer(left) ? { text: 'folded' } : {}),
    ...condition,
    ...(all === undefined ? {} : { all: within(all) }),
    ...(any === undefined ? {} : { any: within(any) }),
    ...(not === undefined ? {} : { not: withFolding(not, isAnswer) }),
  };
}

/** A text, or a list of texts, without case and surrounding space. */
export function foldText(value: Json): Json {
  if (Array.isArray(value)) return value.map(foldText);
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}
