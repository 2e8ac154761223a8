/**
 * Owns: `{{state.k}}` in templates. A node that uses it gets an instruction before it that reads the values, so that
 * what was read is recorded as an outcome like any other, and a replay fills the template with the same.
 *
 * 1. The reading stands behind everything else in the graph, so that the places of all other nodes and edges stay.
 * 2. It is reached exactly when its node is: it has the same needs and edges. An edge back leads to it.
 */
import type { Edge, Graph, Node } from '../schema/graph.ts';
import { type Json, setField } from '../schema/json.ts';
import { leadsBack } from './graph-plan.ts';

const STATE_HOLE = /\{\{\s*state\.([\w-]+)((?:\.[\w-]+)*)\s*\}\}/g;

export const stateReadId = (id: string): string => `${id}__state`;

/** The same graph when no template asks for state. A node that is called "state" is meant by its name. */
export function addStateReads(graph: Graph): Graph {
  if (graph.nodes.some(({ id }) => id === 'state')) return graph;
  const reads: Node[] = [];
  const nodes = graph.nodes.map((node) => {
    if (!mentionsState(node as Json)) return node;
    const keys = new Set<string>();
    const filled = fillHoles(node as Json, keys, node.id);
    if (keys.size === 0) return node;
    const read = readFor(graph, node, [...keys]);
    reads.push(read);
    return { ...(filled as Node), needs: [read.id, ...node.needs] };
  });
  if (reads.length === 0) return graph;
  const names = new Set(reads.map(({ id }) => id));
  const readBefore = (edge: Edge): string | null => (names.has(stateReadId(edge.to)) ? stateReadId(edge.to) : null);
  const edges = graph.edges.map((edge) => (leadsBack(edge) ? { ...edge, to: readBefore(edge) ?? edge.to } : edge));
  const copies = graph.edges.flatMap((edge) => {
    const to = leadsBack(edge) ? null : readBefore(edge);
    return to === null ? [] : [{ ...edge, to }];
  });
  return { ...graph, nodes: [...nodes, ...reads], edges: [...edges, ...copies] };
}

function readFor(graph: Graph, { id, title, needs }: Node, keys: readonly string[]): Node {
  return {
    kind: 'tool',
    id: stateReadId(id),
    title: `Read the state for ${title ?? id}`.slice(0, 500),
    needs: [...needs],
    tool: 'state.values',
    input: { namespace: graph.id, keys: [...keys] },
    acceptance: [],
    timeout_seconds: 60,
    max_retries: 0,
    on_error: 'fail',
  };
}

/** Cheap, for graphs with very many nodes. */
function mentionsState(value: Json): boolean {
  if (typeof value === 'string') return value.includes('{{') && value.includes('state.');
  if (value === null || typeof value !== 'object') return false;
  return Array.isArray(value) ? value.some(mentionsState) : Object.values(value).some(mentionsState);
}

/** Collects the keys, and lets each hole refer to the reading before the node. */
function fillHoles(value: Json, keys: Set<string>, node: string): Json {
  if (typeof value === 'string') {
    if (!value.includes('{{')) return value;
    return value.replaceAll(STATE_HOLE, (_, key: string, path: string) => {
      keys.add(key);
      return `{{${stateReadId(node)}.${key}${path}}}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillHoles(item, keys, node));
  if (value === null || typeof value !== 'object') return value;
  const filled: Record<string, Json> = {};
  for (const [field, inside] of Object.entries(value))
    if (inside !== undefined) setField(filled, field, fillHoles(inside, keys, node));
  return filled;
}
