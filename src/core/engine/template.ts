/**
 * Templates in the inputs of nodes: {{input.x}}, {{node.y}}, {{node.output}}, {{last}}, {{item}}, {{date}}. Pure text and
 * data, nothing is run.
 */
import { type Json, setField } from '../schema/json.ts';
import { isUnknown, unknownField } from './unknown-value.ts';

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;
const ONLY_PLACEHOLDER = /^\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}$/;

/** Gives the value of a first word such as `input`, `last` or a node's name; undefined when there is none. */
export type Lookup = (name: string) => Json | undefined;

/** A string that is one hole becomes the value itself; holes inside text become text; what is missing becomes null. */
export function fillTemplate(template: Json, lookup: Lookup): Json {
  if (typeof template === 'string') return template.includes('{{') ? fillText(template, lookup) : template;
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, lookup));
  if (template !== null && typeof template === 'object') {
    const full: Record<string, Json> = {};
    for (const key of Object.keys(template)) setField(full, key, fillTemplate(template[key] ?? null, lookup));
    return full;
  }
  return template;
}

const NONE: readonly string[] = [];

/** The first words of every hole in a template. */
export function templateNames(template: Json): readonly string[] {
  if (typeof template === 'string')
    return template.includes('{{')
      ? Array.from(template.matchAll(PLACEHOLDER), (match) => match[1]?.split('.', 1)[0] ?? '')
      : NONE;
  if (template === null || typeof template !== 'object') return NONE;
  let names = NONE;
  for (const value of Array.isArray(template) ? template : Object.values(template)) {
    const inside = templateNames(value);
    if (inside.length > 0) names = names.length === 0 ? inside : [...names, ...inside];
  }
  return names;
}

/** A text as the words and the holes it consists of, in order. */
export function splitTemplate(text: string): (string | { path: string })[] {
  const parts: (string | { path: string })[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ path: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Whether a text has holes to be filled. */
export const isTemplate = (text: string): boolean => text.includes('{{') && text.search(PLACEHOLDER) !== -1;

/** The path in a text that is nothing but one hole, such as `fetch.price`; null for any other text. */
export const onlyPath = (text: string): string | null => ONLY_PLACEHOLDER.exec(text)?.[1] ?? null;

/** Field `a.b.0` of a value; undefined when it is not there. */
export function fieldAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  let depth = 0;
  for (const key of path) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, key))
      return isUnknown(found) ? unknownField(found, path.slice(depth)) : undefined;
    depth += 1;
    found = (found as Record<string, Json>)[key];
  }
  return found;
}

function fillText(text: string, lookup: Lookup): Json {
  const only = ONLY_PLACEHOLDER.exec(text)?.[1];
  if (only !== undefined) return valueAt(only, lookup);
  return text.replaceAll(PLACEHOLDER, (_, path: string) => {
    const value = valueAt(path, lookup);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** `output` is the whole output of a node that has no field of that name. */
function valueAt(path: string, lookup: Lookup): Json {
  const [name = '', ...rest] = path.split('.');
  const value = lookup(name);
  const isWhole = rest[0] === 'output' && !GIVEN.has(name) && fieldAt(value, ['output']) === undefined;
  return fieldAt(value, isWhole ? rest.slice(1) : rest) ?? null;
}

/** First words that are no outputs of nodes. */
const GIVEN = new Set(['input', 'item', 'date', 'state']);
