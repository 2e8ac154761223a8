/** Owns: names in templates of an imported graph. */
import type { Json } from '../../../core/schema/json.ts';
import { NodeId } from '../../../core/schema/names.ts';
import type { ImportedGraph, Importing } from './importing.ts';

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;
/** First words that mean the same in both. */
const BUILT_IN = new Set(['input', 'last', 'date']);
/** First words that mean something here, so that no node may have them as its name. */
const RESERVED = new Set([...BUILT_IN, 'item', 'state']);

const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  condition: { result: 'branch', decision: 'branch' },
  read_prior_runs: { run_id: 'run', started_at: 'started', finished_at: 'ended', error_text: 'reason' },
};

/** Gives every node a name that is possible here, and lets templates follow. */
export function renameNodes(graph: ImportedGraph, importing: Importing): ImportedGraph {
  const names = new Map<string, string>();
  for (const { id } of graph.nodes) names.set(id, freeName(id, names, importing));
  const rename = (id: string): string => names.get(id) ?? id;
  const nodes = graph.nodes.map((node) => {
    const { output_schema, input_schema, ...fields } = node;
    const filled = mapStrings(fields, (text) => renameInText(text, names, node.id, importing)) as typeof node;
    return {
      ...filled,
      id: rename(node.id),
      ...(input_schema && { input_schema }),
      ...(output_schema && { output_schema }),
    };
  });
  return {
    ...graph,
    nodes,
    edges: graph.edges.map((edge) => ({ ...edge, from: rename(edge.from), to: rename(edge.to) })),
  };
}

function freeName(id: string, taken: ReadonlyMap<string, string>, { note }: Importing): string {
  const isFree = (name: string): boolean =>
    NodeId.safeParse(name).success && !RESERVED.has(name) && ![...taken.values()].includes(name);
  if (isFree(id)) return id;
  const base = id
    .replaceAll(/[^\w-]+/g, '_')
    .replace(/^[^A-Za-z_]/, '_$&')
    .slice(0, 60);
  let name = base;
  for (let number = 2; !isFree(name); number += 1) name = `${base}_${number}`;
  note('nodes', `the node "${id}" is called "${name}" here`);
  return name;
}

function renameInText(text: string, names: ReadonlyMap<string, string>, node: string, importing: Importing): string {
  return text.replaceAll(PLACEHOLDER, (whole, inside: string) => {
    const path = inside.trim();
    if (path === 'graph_id') return importing.source.id;
    const isBelow = (name: string): boolean => path === name || path.startsWith(`${name}.`);
    if ([...BUILT_IN].some(isBelow)) return whole;
    const id = [...names.keys()].find(isBelow);
    if (id !== undefined) return `{{${names.get(id)}${renameFields(id, path.slice(id.length), importing)}}}`;
    importing.problem(node, `${whole}: there is no such node, and templates know no such word here`);
    return whole;
  });
}

/** The output of some nodes has other names here. */
function renameFields(id: string, fields: string, { source }: Importing): string {
  const type = source.nodes.find(({ node_id }) => node_id === id)?.type;
  const names = new Map(Object.entries(FIELDS[type ?? ''] ?? {}));
  return fields
    .split('.')
    .map((field) => names.get(field) ?? field)
    .join('.');
}

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]));
}
