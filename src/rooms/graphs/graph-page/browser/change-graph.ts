/**
 * Changes of a graph that is drawn, as changes of its text: what somebody does on the picture is what they could have
 * written. Pure.
 *
 * 1. What a change does not name stays as it was written, whatever it is.
 */
import type { Json } from '../../../../core/schema/json.ts';

export type Fields = { [field: string]: Json };

const isRecord = (value: Json | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Null while the text is no graph that could be drawn. */
export function graphIn(text: string): Fields | null {
  try {
    const value = JSON.parse(text) as Json;
    return isRecord(value) && Array.isArray(value['nodes']) && value['nodes'].every(isRecord) ? value : null;
  } catch {
    return null; // it is being written
  }
}

export const graphText = (graph: Fields): string => `${JSON.stringify(graph, null, 2)}\n`;

export const nodesOf = (graph: Fields): Fields[] => graph['nodes'] as Fields[];

/** A field that is a text, such as the name of a node; empty when it is none. */
export const wordIn = (fields: Fields, name: string): string => {
  const { [name]: value } = fields;
  return typeof value === 'string' ? value : '';
};

export const nodeOf = (graph: Fields, id: string): Fields | undefined =>
  nodesOf(graph).find((node) => node['id'] === id);

const listIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

const withNodes = (graph: Fields, change: (node: Fields) => Fields): Fields => ({
  ...graph,
  nodes: nodesOf(graph).map(change),
});

/** An empty list or object need not be written. */
function put(fields: Fields, name: string, value: Json | undefined): Fields {
  const { [name]: _before, ...rest } = fields;
  const isEmpty =
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return isEmpty ? rest : { ...fields, [name]: value };
}

export function setField(graph: Fields, id: string, name: string, value: Json | undefined): Fields {
  return withNodes(graph, (node) => {
    if (node['id'] !== id) return node;
    const { [name]: _before, ...rest } = node;
    return value === undefined ? rest : { ...node, [name]: value };
  });
}

/** A step behind another one, or at the beginning; returns its name, too. */
export function addNode(graph: Fields, fields: Fields, after: string | null): { graph: Fields; id: string } {
  const taken = new Set(nodesOf(graph).map((node) => node['id']));
  let number = taken.size + 1;
  while (taken.has(`step_${number}`)) number += 1;
  const id = `step_${number}`;
  const { kind = 'tool', ...others } = fields;
  const node = { kind, ...others, id, ...(after === null ? {} : { needs: [after] }) };
  return { graph: { ...graph, nodes: [...nodesOf(graph), node] }, id };
}

/** An arrow. One that leads back begins the steps between over, three times at most. */
export function connect(graph: Fields, from: string, to: string): Fields {
  if (from === to || leadsTo(graph, from, to)) return graph;
  if (isBehind(graph, from, to)) return { ...graph, edges: [...listIn(graph['edges']), { from, to, max: 3 }] };
  return withNodes(graph, (node) => (node['id'] === to ? { ...node, needs: [...listIn(node['needs']), from] } : node));
}

export function disconnect(graph: Fields, from: string, to: string): Fields {
  const edges = listIn(graph['edges']).filter((edge) => !isRecord(edge) || edge['from'] !== from || edge['to'] !== to);
  return put(
    withNodes(graph, (node) => {
      if (node['id'] === to) return put(node, 'needs', without(node['needs'], from));
      return node['id'] === from ? put(node, 'branches', without(node['branches'], to)) : node;
    }),
    'edges',
    edges,
  );
}

/** A name taken out of a list, or out of the lists and values of an object. */
function without(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value.filter((each) => each !== name);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const left = each === name ? undefined : Array.isArray(each) ? without(each, name) : each;
      return left === undefined || (Array.isArray(left) && left.length === 0) ? [] : [[key, left]];
    }),
  );
}

/** What came behind a step that is gone comes behind what was before it. */
export function removeNode(graph: Fields, id: string): Fields {
  const before = listIn(nodeOf(graph, id)?.['needs']);
  const kept = { ...graph, nodes: nodesOf(graph).filter((node) => node['id'] !== id) };
  const edges = listIn(graph['edges']).filter((edge) => !isRecord(edge) || (edge['from'] !== id && edge['to'] !== id));
  const bridged = withNodes(kept, (node) => {
    const needs = listIn(node['needs']);
    const next = needs.includes(id) ? [...new Set(needs.flatMap((each) => (each === id ? before : [each])))] : needs;
    return put(put(node, 'needs', next), 'branches', without(node['branches'], id));
  });
  return setPin(put(bridged, 'edges', edges), id, undefined);
}

/** Also where other steps name it, in templates, too. */
export function renameNode(graph: Fields, id: string, name: string): Fields {
  if (name === id || nodeOf(graph, name) !== undefined) return graph;
  const template = new RegExp(`(\\{\\{\\s*)${id.replaceAll(/[^\w]/g, '\\$&')}(?=[\\s.}|[])`, 'g');
  const NAMING = new Set(['needs', 'from', 'to', 'branches', 'over']);
  const renamed = (value: Json, isName: boolean): Json => {
    if (typeof value === 'string') return isName && value === id ? name : value.replaceAll(template, `$1${name}`);
    if (Array.isArray(value)) return value.map((each) => renamed(each, isName));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, renamed(each, isName || NAMING.has(key))]),
    );
  };
  const nodes = nodesOf(graph).map((node) => {
    const next = renamed(node, false) as Fields;
    return node['id'] === id ? { ...next, id: name } : next;
  });
  const pinned = isRecord(graph['pins']) ? graph['pins'][id] : undefined;
  const edges = listIn(graph['edges']).map((edge) => renamed(edge, false));
  return setPin(setPin(put({ ...graph, nodes }, 'edges', edges), id, undefined), name, pinned);
}

/** What a step is taken to have given, without running it. */
export function setPin(graph: Fields, id: string, output: Json | undefined): Fields {
  const { [id]: _before, ...others } = isRecord(graph['pins']) ? graph['pins'] : {};
  return put(graph, 'pins', output === undefined ? others : { ...others, [id]: output });
}

export const pinOf = (graph: Fields, id: string): Json | undefined =>
  isRecord(graph['pins']) ? graph['pins'][id] : undefined;

const leadsTo = (graph: Fields, from: string, to: string): boolean =>
  listIn(nodeOf(graph, to)?.['needs']).includes(from) ||
  listIn(graph['edges']).some((edge) => isRecord(edge) && edge['from'] === from && edge['to'] === to);

/** Whether a step needs another one, directly or through others. */
function isBehind(graph: Fields, id: string, other: string): boolean {
  const seen = new Set<Json>();
  for (const left: Json[] = [id]; left.length > 0; ) {
    const next = left.pop();
    if (typeof next !== 'string' || seen.has(next)) continue;
    if (next === other) return true;
    seen.add(next);
    left.push(...listIn(nodeOf(graph, next)?.['needs']));
  }
  return false;
}
