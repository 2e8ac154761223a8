/** Setting one field of one node in a graph as a person wrote it. */
import { OkaError } from '../schema/errors.ts';
import type { Json } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';

type JsonRecord = { [field: string]: Json };

/** A copy with the field set, or removed if there is no value; a field such as `input.path` is one inside another. */
export function setField(graph: JsonRecord, node: string, field: string, value: Json | undefined): JsonRecord {
  const nodes = Array.isArray(graph['nodes']) ? graph['nodes'] : [];
  const at = nodes.findIndex((each) => isRecord(each) && each['id'] === node);
  if (at < 0) throw noSuchNode(nodes, node);
  const copy = structuredClone(graph);
  const found = (copy['nodes'] as Json[])[at] as JsonRecord;
  const path = field.split('.');
  const last = path.pop() ?? '';
  const owner = path.reduce((outer, name) => inner(outer, name, field), found);
  if (last === '' || last === '__proto__') throw new OkaError('usage', `"${field}" is not the name of a field`);
  if (value === undefined) delete owner[last];
  else owner[last] = value;
  return copy;
}

function inner(outer: JsonRecord, name: string, field: string): JsonRecord {
  if (!Object.hasOwn(outer, name)) outer[name] = {};
  const found = outer[name];
  if (found !== undefined && isRecord(found) && name !== '__proto__') return found;
  throw new OkaError('usage', `"${field}" cannot be set: "${name}" has no fields`);
}

const isRecord = (value: Json): value is JsonRecord =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function noSuchNode(nodes: readonly Json[], node: string): OkaError {
  const names = nodes.flatMap((each) => (isRecord(each) && typeof each['id'] === 'string' ? [each['id']] : []));
  const guess = nearestWord(node, names);
  return new OkaError('usage', `there is no node "${node}" in this graph`, {
    fix: guess === null ? `There are: ${names.slice(0, 20).join(', ')}` : `Did you mean: ${guess}?`,
  });
}
