/**
 * Owns: the part of JSON Schema that people write by hand.
 *
 * A keyword that is not known here is refused when a criterion is read: one that is silently skipped would let
 * everything pass.
 */
import type { Json } from '../schema/json.ts';
import { same } from './compare.ts';
import { compilePattern, searchPattern } from './pattern.ts';
import { oneLine } from './text.ts';

export type Schema = { [keyword: string]: Json };

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

type Keyword = {
  /** Whether the value makes sense. */
  fits: (value: Json) => boolean;
  /** Schemas inside the value. */
  inside?: (value: Json) => Json[];
  /** What is wrong with the document, or null. */
  judge: (value: Json, document: Json, at: string, schema: Schema) => string | null;
};

const isCount = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isNumber = (value: Json): boolean => typeof value === 'number';
const isMap = (value: Json): value is Schema => value !== null && typeof value === 'object' && !Array.isArray(value);
const namesIn = (value: Json): string[] => [value].flat().filter((each) => typeof each === 'string');
const isTexts = (value: Json): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

/** A limit on a number that is taken from documents of one kind. */
function limit(
  measure: (document: Json) => number | null,
  holds: (n: number, bound: number) => boolean,
  says: string,
): Keyword {
  return {
    fits: isNumber,
    judge: (bound, document, at) => {
      const n = measure(document);
      return n === null || holds(n, Number(bound)) ? null : `${at} ${says} ${Number(bound)}: it is ${n}`;
    },
  };
}

const lengthOfList = (document: Json): number | null => (Array.isArray(document) ? document.length : null);
const lengthOfText = (document: Json): number | null =>
  typeof document === 'string' ? Array.from(document).length : null;
const amount = (document: Json): number | null => (typeof document === 'number' ? document : null);
const atLeast = (n: number, bound: number): boolean => n >= bound;
const atMost = (n: number, bound: number): boolean => n <= bound;
const note: Keyword = { fits: () => true, judge: () => null };

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $schema: note,
  title: note,
  description: note,
  type: {
    fits: (value) => [value].flat().every((each) => typeof each === 'string' && TYPES.includes(each)),
    judge: (value, document, at) =>
      namesIn(value).some((type) => isOfType(document, type))
        ? null
        : `${at} is not ${namesIn(value).join(' or ')}: it is ${oneLine(JSON.stringify(document), 80)}`,
  },
  const: {
    fits: () => true,
    judge: (value, document, at) =>
      same(document, value) ? null : `${at} is not ${oneLine(JSON.stringify(value), 80)}`,
  },
  enum: {
    fits: Array.isArray,
    judge: (value, document, at) =>
      (value as Json[]).some((each) => same(each, document))
        ? null
        : `${at} is none of ${oneLine(JSON.stringify(value), 80)}`,
  },
  required: {
    fits: isTexts,
    judge: (value, document, at) => {
      const missing = isMap(document) ? (value as string[]).find((name) => !Object.hasOwn(document, name)) : undefined;
      return missing === undefined ? null : `${at}.${missing} is missing`;
    },
  },
  properties: {
    fits: isMap,
    inside: (value) => Object.values(value as Schema),
    judge: (value, document, at) =>
      isMap(document)
        ? firstOf(Object.entries(value as Schema), ([name, inner]) =>
            Object.hasOwn(document, name) ? misfitOf(inner as Schema, document[name] ?? null, `${at}.${name}`) : null,
          )
        : null,
  },
  additionalProperties: {
    fits: (value) => typeof value === 'boolean' || isMap(value),
    inside: (value) => (isMap(value) ? [value] : []),
    judge: (value, document, at, schema) => {
      const known = isMap(schema['properties'] ?? null) ? (schema['properties'] as Schema) : {};
      const others = isMap(document) ? Object.entries(document).filter(([name]) => !Object.hasOwn(known, name)) : [];
      if (value === false && others[0] !== undefined) return `${at}.${others[0][0]} is not expected`;
      return isMap(value) ? firstOf(others, ([name, field]) => misfitOf(value, field, `${at}.${name}`)) : null;
    },
  },
  items: {
    fits: isMap,
    inside: (value) => [value],
    judge: (value, document, at) =>
      Array.isArray(document)
        ? firstOf([...document.entries()], ([index, item]) => misfitOf(value as Schema, item, `${at}[${index}]`))
        : null,
  },
  minItems: { ...limit(lengthOfList, atLeast, 'has too few items, least'), fits: isCount },
  maxItems: { ...limit(lengthOfList, atMost, 'has too many items, most'), fits: isCount },
  minLength: { ...limit(lengthOfText, atLeast, 'is too short, least'), fits: isCount },
  maxLength: { ...limit(lengthOfText, atMost, 'is too long, most'), fits: isCount },
  minimum: limit(amount, atLeast, 'is below'),
  maximum: limit(amount, atMost, 'is above'),
  exclusiveMinimum: limit(amount, (n, bound) => n > bound, 'is not above'),
  exclusiveMaximum: limit(amount, (n, bound) => n < bound, 'is not below'),
  pattern: {
    fits: (value) => typeof value === 'string' && !('problem' in compilePattern(value)),
    judge: (value, document, at) => {
      if (typeof document !== 'string' || typeof value !== 'string') return null;
      const pattern = compilePattern(value);
      if ('problem' in pattern) return null;
      return searchPattern(pattern, document).kind === 'found' ? null : `${at} does not match /${value}/`;
    },
  },
};

/** Where and how a document does not fit, or null. */
export function misfitOf(schema: Schema, document: Json, at = '$'): string | null {
  return firstOf(Object.entries(schema), ([keyword, value]) =>
    Object.hasOwn(KEYWORDS, keyword) ? (KEYWORDS[keyword]?.judge(value, document, at, schema) ?? null) : null,
  );
}

/** What is wrong with the schema itself, or null. */
export function problemIn(schema: Json, at = '$'): string | null {
  if (!isMap(schema)) return `${at} in the schema is not an object`;
  return firstOf(Object.entries(schema), ([name, value]) => {
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined)
      return `${at}.${name} in the schema is not known; there is: ${Object.keys(KEYWORDS).join(', ')}`;
    if (!keyword.fits(value)) return `${at}.${name} in the schema has a wrong value`;
    return firstOf(keyword.inside?.(value) ?? [], (inner) => problemIn(inner, `${at}.${name}`));
  });
}

function isOfType(document: Json, type: string): boolean {
  if (type === 'null') return document === null;
  if (type === 'array') return Array.isArray(document);
  if (type === 'object') return isMap(document);
  if (type === 'integer') return Number.isInteger(document);
  return typeof document === type;
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
