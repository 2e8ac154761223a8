/** Owns: what can be asked of a JSON document: that it fits a schema, or that one of its fields compares. */
import { fieldOf } from '../engine/template.ts';
import { messageOf } from '../schema/errors.ts';
import { isJson, type Json } from '../schema/json.ts';
import { type Comparison, comparisonOf, compares } from './compare.ts';
import { misfitOf, problemIn, type Schema } from './json-schema.ts';
import { oneLine } from './text.ts';

export type JsonTest =
  | { by: 'schema'; schema: Schema }
  | { by: 'field'; field: string[]; is: Comparison | 'exists'; value: Json };

const COMPARED = /^(\S+)\s*(==|!=|>=|<=|=|>|<)\s*([\s\S]+)$/;
const EXISTS = /^(\S+)\s+exists$/i;

/** The test, or why it is none. */
export function jsonTestOf(text: string): JsonTest | string {
  if (text.startsWith('{')) return schemaOf(text);
  const alone = EXISTS.exec(text)?.[1];
  if (alone !== undefined) return { by: 'field', field: pathOf(alone), is: 'exists', value: null };
  // The field ends at the first sign, so that a.b>=3 is read like a.b >= 3.
  const at = text.search(/[=!<>]/);
  const spaced = at === -1 ? text : `${text.slice(0, at).trim()} ${text.slice(at)}`;
  const [, field, sign, value] = COMPARED.exec(spaced) ?? [];
  if (field === undefined || sign === undefined || value === undefined)
    return `"${text.slice(0, 100)}" is neither a schema in braces nor a field, a sign and a value`;
  return { by: 'field', field: pathOf(field), is: comparisonOf(sign), value: valueOf(value.trim()) };
}

/** What the document shows, and whether that is what was asked for. */
export function jsonHolds(test: JsonTest, document: Json): { holds: boolean; shown: string } {
  if (test.by === 'schema') {
    const misfit = misfitOf(test.schema, document);
    return { holds: misfit === null, shown: misfit ?? 'it fits the schema' };
  }
  const name = test.field.join('.') || '$';
  const found = lookedUp(document, test.field);
  if (found === undefined) return { holds: false, shown: `${name} is not there` };
  const holds = test.is === 'exists' || compares(found, test.is, test.value);
  return { holds, shown: `${name} is ${oneLine(JSON.stringify(found), 200)}` };
}

/** `length` of a list or a text is how long it is. */
function lookedUp(document: Json, field: readonly string[]): Json | undefined {
  const found = fieldOf(document, field);
  if (found !== undefined && !(field.at(-1) === 'length' && Array.isArray(fieldOf(document, field.slice(0, -1)))))
    return found;
  const owner = field.at(-1) === 'length' ? fieldOf(document, field.slice(0, -1)) : undefined;
  if (typeof owner === 'string') return Array.from(owner).length;
  return Array.isArray(owner) ? owner.length : undefined;
}

/** a.b[0]["c d"] as its names. */
const pathOf = (text: string): string[] =>
  text
    .replace(/^\$\.?/, '')
    .replaceAll(/\[["']?([^\]"']*)["']?\]/g, '.$1')
    .split('.')
    .filter((name) => name !== '');

function valueOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : text;
  } catch {
    return text.replace(/^'([^']*)'$/, '$1');
  }
}

function schemaOf(text: string): JsonTest | string {
  try {
    const schema: unknown = JSON.parse(text);
    if (!isJson(schema)) return 'the schema is not plain JSON';
    const problem = problemIn(schema);
    return problem ?? { by: 'schema', schema: schema as Schema };
  } catch (error) {
    return `the schema is not JSON: ${messageOf(error)}`;
  }
}
