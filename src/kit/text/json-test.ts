/** Owns: tests of a JSON document: against a schema, or a comparison of one of its fields. */
import { fieldAt } from '../../core/engine/template.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { isJson, type Json } from '../../core/schema/json.ts';
import { type Comparison, parseComparison, compareJson } from './compare.ts';
import { findMismatch, findSchemaProblem, type Schema } from '../../core/schema/json-schema.ts';
import { toOneLine } from '../../core/schema/one-line.ts';

export type JsonTest =
  | { by: 'schema'; schema: Schema }
  | { by: 'field'; field: string[]; is: Comparison | 'exists'; value: Json };

const COMPARED = /^(\S+)\s*(==|!=|>=|<=|=|>|<)\s*([\s\S]+)$/;
const EXISTS = /^(\S+)\s+exists$/i;

/** The parsed test, or what is wrong with the text. */
export function parseJsonTest(text: string): JsonTest | string {
  if (text.startsWith('{')) return parseSchemaTest(text);
  const alone = EXISTS.exec(text)?.[1];
  if (alone !== undefined) return { by: 'field', field: parseFieldPath(alone), is: 'exists', value: null };
  // The field ends at the first sign, so that a.b>=3 is read like a.b >= 3.
  const at = text.search(/[=!<>]/);
  const spaced = at === -1 ? text : `${text.slice(0, at).trim()} ${text.slice(at)}`;
  const [, field, sign, value] = COMPARED.exec(spaced) ?? [];
  if (field === undefined || sign === undefined || value === undefined)
    return `"${text.slice(0, 100)}" is neither a schema in braces nor a field, a sign and a value`;
  return { by: 'field', field: parseFieldPath(field), is: parseComparison(sign), value: parseJsonOrText(value.trim()) };
}

/** Whether the document passes, and what it contains at that place. */
export function testJson(test: JsonTest, document: Json): { holds: boolean; shown: string } {
  if (test.by === 'schema') {
    const mismatch = findMismatch(test.schema, document);
    return { holds: mismatch === null, shown: mismatch ?? 'it matches the schema' };
  }
  const name = test.field.join('.') || '$';
  const found = lookUpField(document, test.field);
  if (found === undefined) return { holds: false, shown: `${name} is not there` };
  const holds = test.is === 'exists' || compareJson(found, test.is, test.value);
  return { holds, shown: `${name} is ${toOneLine(JSON.stringify(found), 200)}` };
}

/** `length` of a list or a text is its length, unless an object has a field of that name. */
function lookUpField(document: Json, field: readonly string[]): Json | undefined {
  const found = fieldAt(document, field);
  if (found !== undefined && !(field.at(-1) === 'length' && Array.isArray(fieldAt(document, field.slice(0, -1)))))
    return found;
  const owner = field.at(-1) === 'length' ? fieldAt(document, field.slice(0, -1)) : undefined;
  if (typeof owner === 'string') return Array.from(owner).length;
  return Array.isArray(owner) ? owner.length : undefined;
}

/** Splits a.b[0]["c d"] into its names. */
const parseFieldPath = (text: string): string[] =>
  text
    .replace(/^\$\.?/, '')
    .replaceAll(/\[["']?([^\]"']*)["']?\]/g, '.$1')
    .split('.')
    .filter((name) => name !== '');

function parseJsonOrText(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : text;
  } catch {
    return text.replace(/^'([^']*)'$/, '$1');
  }
}

function parseSchemaTest(text: string): JsonTest | string {
  try {
    const schema: unknown = JSON.parse(text);
    if (!isJson(schema)) return 'the schema is not plain JSON';
    const problem = findSchemaProblem(schema);
    return problem ?? { by: 'schema', schema: schema as Schema };
  } catch (error) {
    return `the schema is not JSON: ${messageOf(error)}`;
  }
}
