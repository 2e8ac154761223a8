/** Where the nodes of a graph have templates. */
import type { Condition } from '../schema/condition.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { templateNames } from './template.ts';

/** Everything in a node that may be a template. */
export function templatesOf(node: Node): Json[] {
  const own: Json[] = [node.input ?? null, node.idempotency_key ?? null];
  if (node.kind === 'agent') own.push(node.goal);
  if (node.kind === 'map') own.push(node.over, templatesOf(node.each));
  if (node.kind === 'wait' && node.for.kind === 'question' && node.for.branch === true) own.push(node.for.text);
  if (node.kind === 'typed_condition') own.push(conditionTemplates(node));
  if (node.kind === 'transform') own.push(node.value ?? null);
  return own;
}

function conditionTemplates({ left, right, all, any, not }: Condition): Json[] {
  const inside = [...(all ?? []), ...(any ?? []), ...(not === undefined ? [] : [not])];
  return [left ?? null, right ?? null, ...inside.map(conditionTemplates)];
}

const knownGraphs = new WeakMap<Graph, boolean>();

/** Whether a node of the graph asks for {{date}}. */
export function usesDate(graph: Graph): boolean {
  const known = knownGraphs.get(graph);
  if (known !== undefined) return known;
  const isUsed = graph.nodes.some((node) => templateNames(templatesOf(node)).includes('date'));
  knownGraphs.set(graph, isUsed);
  return isUsed;
}
