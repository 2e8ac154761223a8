/**
 * What a JSON Schema says about the place where somebody writes: what the field is for, and what can be written. Pure.
 *
 * 1. Of several alternatives only those count that fit what is already written, such as the kind of a node.
 */
import type { Json } from '../../../../core/schema/json.ts';
import { type Place, type Spot, spotAt } from './json-outline.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export type Suggestion = { label: string; insert: string; about: string };
export type Help = { field: string; about: string; suggestions: Suggestion[] };

export type JsonSchema = { readonly [key: string]: Json | undefined };

/** Names that are known besides the schema: of tools, and of the nodes in the text. */
type Names = { tools: readonly string[]; nodes: readonly string[] };

const MOST_SUGGESTED = 60;
const DEEPEST = 20;

export function helpAt(schema: JsonSchema, text: string, root: Spot | null, place: Place, names: Names): Help {
  const { path, role } = place;
  const own = schemasAt(schema, text, root, path);
  const field = role === 'value' ? (path.at(-1) ?? '') : '';
  const about = own.map((each) => textIn(each, 'description')).find((each) => each !== '') ?? '';
  const suggestions =
    role === 'key' ? keySuggestions(schema, own, spotAt(root, path), place) : valueSuggestions(own, path, names);
  return {
    field: path.join('.') || (field === '' ? t('the graph') : field),
    about,
    suggestions: suggestions.slice(0, MOST_SUGGESTED),
  };
}

/** All schemas that may apply at a path, with references and alternatives resolved. */
function schemasAt(schema: JsonSchema, text: string, root: Spot | null, path: readonly string[]): JsonSchema[] {
  let found = alternatives(schema, schema);
  path.forEach((key, at) => {
    const spot = spotAt(root, path.slice(0, at));
    found = found
      .filter((each) => fits(each, spot, text, key))
      .flatMap((each) => memberSchemas(each, key))
      .flatMap((each) => alternatives(schema, each));
  });
  const spot = spotAt(root, path);
  return found.filter((each) => fits(each, spot, text, ''));
}

function alternatives(root: JsonSchema, schema: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > DEEPEST) return [];
  const reference = textIn(schema, '$ref');
  if (reference !== '') {
    const target = reference.replace(/^#\/?/, '').split('/').filter(Boolean);
    const found = target.reduce<Json | undefined>(
      (value, key) => (isRecord(value) ? value[key] : undefined),
      root as Json,
    );
    return isRecord(found) ? alternatives(root, { ...found, ...withoutRef(schema) }, depth + 1) : [];
  }
  const lists = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (lists.length === 0) return [schema];
  const about = textIn(schema, 'description');
  return lists
    .filter(isRecord)
    .flatMap((each) =>
      alternatives(root, about === '' || 'description' in each ? each : { ...each, description: about }, depth + 1),
    );
}

function withoutRef({ $ref: _ref, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

function memberSchemas(schema: JsonSchema, key: string): JsonSchema[] {
  const properties = recordIn(schema, 'properties');
  const own = properties[key];
  if (isRecord(own)) return [own];
  if (/^\d+$/.test(key) && isRecord(schema['items'])) return [schema['items']];
  return isRecord(schema['additionalProperties']) ? [schema['additionalProperties']] : [];
}

/** Whether what is written in an object contradicts a constant of the schema; the field that is being edited does not. */
function fits(schema: JsonSchema, spot: Spot | null, text: string, edited: string): boolean {
  if (spot === null || spot.kind !== 'object') return true;
  const properties = recordIn(schema, 'properties');
  return spot.entries.every(({ key, value }) => {
    const property = properties[key];
    const constant = isRecord(property) ? property['const'] : undefined;
    if (key === edited || constant === undefined || value?.kind !== 'scalar') return true;
    const written = text.slice(value.from, value.to);
    return !/^"[^"]+"$/.test(written) || written === JSON.stringify(constant);
  });
}

function keySuggestions(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  spot: Spot | null,
  { range }: Place,
): Suggestion[] {
  const written = new Set((spot?.entries ?? []).filter(({ keyFrom }) => keyFrom !== range[0]).map(({ key }) => key));
  const found = new Map<string, Suggestion & { isRequired: boolean }>();
  for (const schema of schemas) {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    for (const [name, property] of Object.entries(recordIn(schema, 'properties'))) {
      if (written.has(name) || found.has(name) || !isRecord(property)) continue;
      const about = aboutSchema(root, property);
      const insert = `${JSON.stringify(name)}${range[0] === range[1] ? `: ${stubFor(root, property)}` : ''}`;
      found.set(name, { label: name, insert, about, isRequired: required.includes(name) });
    }
  }
  return [...found.values()]
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map(({ label, insert, about }) => ({ label, insert, about }));
}

const aboutSchema = (root: JsonSchema, schema: JsonSchema): string =>
  alternatives(root, schema)
    .map((each) => textIn(each, 'description'))
    .find((each) => each !== '') ?? '';

/** What a new field starts with. */
function stubFor(root: JsonSchema, schema: JsonSchema): string {
  const [first = {}] = alternatives(root, schema);
  if (first['const'] !== undefined) return JSON.stringify(first['const']);
  if (first['default'] !== undefined) return JSON.stringify(first['default']);
  const stubs: Readonly<Record<string, string>> = { string: '""', object: '{}', array: '[]', boolean: 'true' };
  return stubs[textIn(first, 'type')] ?? '';
}

const NODE_FIELDS = new Set(['needs', 'from', 'to']);

function valueSuggestions(
  schemas: readonly JsonSchema[],
  path: readonly string[],
  { tools, nodes }: Names,
): Suggestion[] {
  const field = path.findLast((key) => !/^\d+$/.test(key)) ?? '';
  const named = field === 'tool' ? tools : NODE_FIELDS.has(field) ? nodes : [];
  const values = new Map<string, string>();
  for (const name of named) values.set(JSON.stringify(name), '');
  for (const schema of schemas) {
    const about = textIn(schema, 'description');
    const listed = Array.isArray(schema['enum'])
      ? schema['enum']
      : schema['const'] === undefined
        ? []
        : [schema['const']];
    for (const each of listed) values.set(JSON.stringify(each), values.get(JSON.stringify(each)) || about);
    if (schema['type'] === 'boolean') for (const each of ['true', 'false']) values.set(each, '');
  }
  return [...values].map(([insert, about]) => ({ label: insert.replaceAll('"', ''), insert, about }));
}

const isRecord = (value: Json | undefined): value is { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function recordIn(schema: JsonSchema, key: string): { readonly [key: string]: Json } {
  const value = schema[key];
  return isRecord(value) ? value : {};
}

function textIn(schema: JsonSchema, key: string): string {
  const value = schema[key];
  return typeof value === 'string' ? value : '';
}
