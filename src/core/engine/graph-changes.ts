/** What is different between two graphs, as a person wrote them: nodes by their names, edges by their ends. */
import type { Json } from '../schema/json.ts';

/** `before` is undefined for what was added, `after` for what was removed. */
export type GraphChange = { path: string; before?: Json; after?: Json };

export function graphChanges(before: Json, after: Json): GraphChange[] {
  return changesAt('', byName(before), byName(after));
}

function changesAt(path: string, before: Json | undefined, after: Json | undefined): GraphChange[] {
  if (before === undefined) return after === undefined ? [] : [{ path, after }];
  if (after === undefined) return [{ path, before }];
  if (!isRecord(before) || !isRecord(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    changesAt(path === '' ? key : `${path}.${key}`, fieldOf(before, key), fieldOf(after, key)),
  );
}

type JsonRecord = { [key: string]: Json };

const isRecord = (value: Json): value is JsonRecord =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const fieldOf = (record: JsonRecord, key: string): Json | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** The lists of nodes and edges as records, so that one that moved in the list has not changed. */
function byName(graph: Json): Json {
  if (!isRecord(graph)) return graph;
  const { nodes, edges, ...rest } = graph;
  return {
    ...rest,
    ...(nodes === undefined ? {} : { nodes: recordOf(nodes, (node) => nameIn(node, 'id')) }),
    ...(edges === undefined ? {} : { edges: recordOf(edges, edgeName) }),
  };
}

function nameIn(record: JsonRecord, field: string): string {
  const name = fieldOf(record, field);
  return typeof name === 'string' ? name : JSON.stringify(name ?? null);
}

function edgeName(edge: JsonRecord): string {
  const { option } = edge;
  return `${nameIn(edge, 'from')} → ${nameIn(edge, 'to')}${option === undefined ? '' : ` (${JSON.stringify(option)})`}`;
}

function recordOf(list: Json, nameOf: (each: JsonRecord) => string): Json {
  if (!Array.isArray(list) || !list.every(isRecord)) return list;
  const named: [string, Json][] = [];
  for (const each of list) {
    const twins = named.filter(([name]) => name.split('#', 1)[0] === nameOf(each)).length;
    named.push([twins === 0 ? nameOf(each) : `${nameOf(each)}#${twins + 1}`, each]);
  }
  return Object.fromEntries(named);
}
