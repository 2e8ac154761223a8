/**
 * Owns: the part of JSON Schema that people write by hand.
 *
 * A keyword that is not known here is refused when a criterion is parsed; silently skipping it would let every document
 * pass. Nothing is compiled to code and nothing refers to another schema, so that the time for a document is bounded by
 * the size of both.
 */
import { isSameJson, type Json } from './json.ts';
import { compilePattern, searchPattern } from './pattern.ts';
import { toOneLine } from './one-line.ts';

export type Schema = { [keyword: string]: Json };

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

type Keyword = {
  /** Whether the keyword may have this value. */
  isValid: (value: Json) => boolean;
  /** The schemas inside the value. */
  inside?: (value: Json) => Json[];
  /** What is wrong with the document, or null. */
  judge: (value: Json, document: Json, at: string, schema: Schema) => string | null;
};

const isCount = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isNumber = (value: Json): boolean => typeof value === 'number';
const isMap = (value: Json): value is Schema => value !== null && typeof value === 'object' && !Array.isArray(value);
const namesIn = (value: Json): string[] => [value].flat().filter((each) => typeof each === 'string');
const isTexts = (value: Json): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

/** A limit on a number that is measured on documents of one kind. */
function limitKeyword(
  measure: (document: Json) => number | null,
  isWithin: (n: number, bound: number) => boolean,
  message: string,
): Keyword {
  return {
    isValid: isNumber,
    judge: (bound, document, at) => {
      const n = measure(document);
      return n === null || isWithin(n, Number(bound)) ? null : `${at} ${message} ${Number(bound)}: it is ${n}`;
    },
  };
}

const listLength = (document: Json): number | null => (Array.isArray(document) ? document.length : null);
const textLength = (document: Json): number | null =>
  typeof document === 'string' ? Array.from(document).length : null;
const numericValue = (document: Json): number | null => (typeof document === 'number' ? document : null);
const atLeast = (n: number, bound: number): boolean => n >= bound;
const atMost = (n: number, bound: number): boolean => n <= bound;
const annotation: Keyword = { isValid: () => true, judge: () => null };

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $schema: annotation,
  title: annotation,
  description: annotation,
  examples: annotation,
  type: {
    isValid: (value) => [value].flat().every((each) => typeof each === 'string' && TYPES.includes(each)),
    judge: (value, document, at) =>
      namesIn(value).some((type) => isOfType(document, type))
        ? null
        : `${at} is not ${namesIn(value).join(' or ')}: it is ${toOneLine(JSON.stringify(document), 80)}`,
  },
  const: {
    isValid: () => true,
    judge: (value, document, at) =>
      isSameJson(document, value) ? null : `${at} is not ${toOneLine(JSON.stringify(value), 80)}`,
  },
  enum: {
    isValid: Array.isArray,
    judge: (value, document, at) =>
      (value as Json[]).some((each) => isSameJson(each, document))
        ? null
        : `${at} is none of ${toOneLine(JSON.stringify(value), 80)}`,
  },
  required: {
    isValid: isTexts,
    judge: (value, document, at) => {
      const missing = isMap(document) ? (value as string[]).find((name) => !Object.hasOwn(document, name)) : undefined;
      return missing === undefined ? null : `${at}.${missing} is missing`;
    },
  },
  properties: {
    isValid: isMap,
    inside: (value) => Object.values(value as Schema),
    judge: (value, document, at) =>
      isMap(document)
        ? firstResult(Object.entries(value as Schema), ([name, inner]) =>
            Object.hasOwn(document, name)
              ? findMismatch(inner as Schema, document[name] ?? null, `${at}.${name}`)
              : null,
          )
        : null,
  },
  additionalProperties: {
    isValid: (value) => typeof value === 'boolean' || isMap(value),
    inside: (value) => (isMap(value) ? [value] : []),
    judge: (value, document, at, schema) => {
      const known = isMap(schema['properties'] ?? null) ? (schema['properties'] as Schema) : {};
      const others = isMap(document) ? Object.entries(document).filter(([name]) => !Object.hasOwn(known, name)) : [];
      if (value === false && others[0] !== undefined) return `${at}.${others[0][0]} is not expected`;
      return isMap(value) ? firstResult(others, ([name, field]) => findMismatch(value, field, `${at}.${name}`)) : null;
    },
  },
  items: {
    isValid: isMap,
    inside: (value) => [value],
    judge: (value, document, at) =>
      Array.isArray(document)
        ? firstResult([...document.entries()], ([index, item]) =>
            findMismatch(value as Schema, item, `${at}[${index}]`),
          )
        : null,
  },
  minItems: { ...limitKeyword(listLength, atLeast, 'has too few items, minimum'), isValid: isCount },
  maxItems: { ...limitKeyword(listLength, atMost, 'has too many items, maximum'), isValid: isCount },
  minLength: { ...limitKeyword(textLength, atLeast, 'is too short, minimum'), isValid: isCount },
  maxLength: { ...limitKeyword(textLength, atMost, 'is too long, maximum'), isValid: isCount },
  minimum: limitKeyword(numericValue, atLeast, 'is below'),
  maximum: limitKeyword(numericValue, atMost, 'is above'),
  exclusiveMinimum: limitKeyword(numericValue, (n, bound) => n > bound, 'is not above'),
  exclusiveMaximum: limitKeyword(numericValue, (n, bound) => n < bound, 'is not below'),
  pattern: {
    isValid: (value) => typeof value === 'string' && !('problem' in compilePattern(value)),
    judge: (value, document, at) => {
      if (typeof document !== 'string' || typeof value !== 'string') return null;
      const pattern = compilePattern(value);
      if ('problem' in pattern) return null;
      return searchPattern(pattern, document).kind === 'found' ? null : `${at} does not match /${value}/`;
    },
  },
};

/** Where and how a document does not match the schema; null when it matches. */
export function findMismatch(schema: Schema, document: Json, at = '$'): string | null {
  return firstResult(Object.entries(schema), ([keyword, value]) =>
    Object.hasOwn(KEYWORDS, keyword) ? (KEYWORDS[keyword]?.judge(value, document, at, schema) ?? null) : null,
  );
}

/** What is wrong with the schema itself; null when nothing is. */
export function findSchemaProblem(schema: Json, at = '$'): string | null {
  if (!isMap(schema)) return `${at} in the schema is not an object`;
  return firstResult(Object.entries(schema), ([name, value]) => {
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined)
      return `${at}.${name} in the schema is not supported; supported: ${Object.keys(KEYWORDS).join(', ')}`;
    if (!keyword.isValid(value)) return `${at}.${name} in the schema has a wrong value`;
    return firstResult(keyword.inside?.(value) ?? [], (inner) => findSchemaProblem(inner, `${at}.${name}`));
  });
}

function isOfType(document: Json, type: string): boolean {
  if (type === 'null') return document === null;
  if (type === 'array') return Array.isArray(document);
  if (type === 'object') return isMap(document);
  if (type === 'integer') return Number.isInteger(document);
  return typeof document === type;
}

function firstResult<T>(items: readonly T[], find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
