/**
 * Owns: whether a typed condition is true. Pure; the time is bounded by the size of the condition and its values.
 *
 * C1 Values of different types are not compared: the result is an error that names both types, never "false".
 *    Only null, which also stands for a missing value, may be compared with anything by eq and ne.
 * C2 all and any check their conditions in order and stop at the first that decides, so that "exists" can protect what
 *    comes after it.
 * C3 A pattern is searched in linear time (core/schema/pattern.ts).
 */
import type { Condition, Operator } from '../schema/condition.ts';
import { isSameJson, type Json } from '../schema/json.ts';
import { toOneLine } from '../schema/one-line.ts';
import { compilePattern, type Pattern, searchPattern } from '../schema/pattern.ts';
import { foldText } from './free-text.ts';
import { fieldAt, fillTemplate, type Lookup } from './template.ts';
import { guessesAbout, isUnknown } from './unknown-value.ts';

/** `shown` is the comparison that decided, for a person. */
type Evaluation = { isTrue: boolean; shown: string } | { error: string };

/** What a condition is about: the input of its node, and what templates in it refer to. */
type ConditionValues = { input: Json; lookup: Lookup };

export function evaluateCondition(condition: Condition, values: ConditionValues): Evaluation {
  const { all, any, not, operator } = condition;
  if (all !== undefined) return evaluateUntil(all, false, values);
  if (any !== undefined) return evaluateUntil(any, true, values);
  if (not !== undefined) return negate(evaluateCondition(not, values));
  if (operator === undefined) return { error: 'the condition has no operator' };
  const fold = condition.text === 'folded' && operator !== 'matches' ? foldText : (value: Json): Json => value;
  return compare(leftSide(condition, values), operator, fillTemplate(condition.right ?? null, values.lookup), fold);
}

/** The value that a comparison is about; a missing one is null. */
export function leftSide({ left, field }: Condition, { input, lookup }: ConditionValues): Json {
  if (left !== undefined) return fillTemplate(left, lookup);
  return field === undefined || field === '' ? input : (fieldAt(input, field.split('.')) ?? null);
}

/** Checks conditions in order until one is `deciding` or an error. */
function evaluateUntil(conditions: readonly Condition[], deciding: boolean, values: ConditionValues): Evaluation {
  const shown: string[] = [];
  for (const condition of conditions) {
    const found = evaluateCondition(condition, values);
    if ('error' in found || found.isTrue === deciding) return found;
    shown.push(found.shown);
  }
  return { isTrue: !deciding, shown: shown.join(deciding ? ' or ' : ' and ') };
}

function negate(found: Evaluation): Evaluation {
  return 'error' in found ? found : { isTrue: !found.isTrue, shown: `not ${found.shown}` };
}

function compare(left: Json, operator: Operator, right: Json, fold: (value: Json) => Json): Evaluation {
  const isTrue = guessResult(left, operator, right) ?? resultOf(fold(left), operator, fold(right));
  if (typeof isTrue === 'object') return isTrue;
  const sides = isUnary(operator) ? [show(left), operator] : [show(left), operator, show(right)];
  return { isTrue, shown: sides.join(' ') };
}

export const isUnary = (operator: Operator): boolean => operator === 'exists' || operator === 'is_empty';

/** In a simulation: what is assumed about a comparison with an unknown value; null when both sides are known. */
function guessResult(left: Json, operator: Operator, right: Json): boolean | null {
  const guesses = guessesAbout(left) ?? guessesAbout(right);
  if (guesses === null) return null;
  const sides = [left, right].map((side) => JSON.stringify(side));
  const text = isUnary(operator) ? `${sides[0]} ${operator}` : sides.join(` ${operator} `);
  if (operator !== 'eq' && operator !== 'ne') return guesses({ value: text, text });
  const [value, equals] = isUnknown(left) ? [left, sides[1]] : [right, sides[0]];
  const isEqual =
    isUnknown(value) && equals !== undefined
      ? guesses({ value, equals, text: `${value} is ${equals}` })
      : guesses({ value: text, text: sides.join(' is ') });
  return isEqual === (operator === 'eq');
}

type Result = boolean | { error: string };

function resultOf(left: Json, operator: Operator, right: Json): Result {
  switch (operator) {
    case 'eq':
      return isEqual(left, operator, right);
    case 'ne':
      return invert(isEqual(left, operator, right));
    case 'gt':
      return inOrder(left, operator, right, (a, b) => a > b);
    case 'gte':
      return inOrder(left, operator, right, (a, b) => a >= b);
    case 'lt':
      return inOrder(left, operator, right, (a, b) => a < b);
    case 'lte':
      return inOrder(left, operator, right, (a, b) => a <= b);
    case 'contains':
      return hasPart(left, operator, right);
    case 'not_contains':
      return invert(hasPart(left, operator, right));
    case 'in':
      return Array.isArray(right) ? hasEntry(right, left, operator) : mismatch(left, operator, right);
    case 'starts_with':
      return ofTexts(left, operator, right, (text, part) => text.startsWith(part));
    case 'ends_with':
      return ofTexts(left, operator, right, (text, part) => text.endsWith(part));
    case 'matches':
      return ofTexts(left, operator, right, matchesPattern);
    case 'exists':
      return left !== null;
    case 'is_empty':
      return isEmpty(left);
  }
}

function isEqual(left: Json, operator: Operator, right: Json): Result {
  return areComparable(left, right) ? isSameJson(left, right) : mismatch(left, operator, right);
}

function inOrder(
  left: Json,
  operator: Operator,
  right: Json,
  isOrdered: (a: number | string, b: number | string) => boolean,
): Result {
  if (typeof left === 'number' && typeof right === 'number') return isOrdered(left, right);
  if (typeof left === 'string' && typeof right === 'string') return isOrdered(left, right);
  return mismatch(left, operator, right);
}

function hasPart(left: Json, operator: Operator, right: Json): Result {
  if (Array.isArray(left)) return hasEntry(left, right, operator);
  return typeof left === 'string' && typeof right === 'string' ? left.includes(right) : mismatch(left, operator, right);
}

/** A list in which nothing is of the type of the entry cannot be searched for it. */
function hasEntry(list: readonly Json[], entry: Json, operator: Operator): Result {
  if (list.some((each) => isSameJson(each, entry))) return true;
  const other = list[0];
  if (other === undefined || list.some((each) => areComparable(each, entry))) return false;
  return {
    error: `${operator} cannot find ${describe(entry)} in a list whose entries are of another type, such as ${describe(other)}`,
  };
}

function ofTexts(left: Json, operator: Operator, right: Json, test: (text: string, part: string) => Result): Result {
  return typeof left === 'string' && typeof right === 'string' ? test(left, right) : mismatch(left, operator, right);
}

function matchesPattern(text: string, source: string): Result {
  const pattern = patternFor(source);
  if ('problem' in pattern) return { error: `the pattern ${show(source)} cannot be used: ${pattern.problem}` };
  const { kind } = searchPattern(pattern, text);
  return kind === 'too long' ? { error: `the text is too long to search it for ${show(source)}` } : kind === 'found';
}

/** The same few patterns are used again and again; compiling one costs more than a search. */
const compiled = new Map<string, Pattern | { problem: string }>();
const MOST_COMPILED = 100;

export function patternFor(source: string): Pattern | { problem: string } {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const pattern = compilePattern(source);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

function isEmpty(value: Json): Result {
  if (value === null) return true;
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object') return Object.keys(value).length === 0;
  return { error: `is_empty takes a text, a list or an object, and not ${describe(value)}` };
}

const invert = (result: Result): Result => (typeof result === 'boolean' ? !result : result);

function areComparable(a: Json, b: Json): boolean {
  return a === null || b === null || typeName(a) === typeName(b);
}

function mismatch(left: Json, operator: Operator, right: Json): { error: string } {
  return { error: `${operator} cannot compare ${describe(left)} with ${describe(right)}` };
}

const describe = (value: Json): string =>
  value === null ? 'null (nothing is there)' : `the ${typeName(value)} ${show(value)}`;

/** What people call the type of a value. */
export function typeName(value: Json): 'null' | 'text' | 'number' | 'boolean' | 'list' | 'object' {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean';
  return Array.isArray(value) ? 'list' : 'object';
}

/** Short, however large the value is. */
function show(value: Json): string {
  if (typeof value === 'string') return toOneLine(JSON.stringify(value.slice(0, 100)), 80);
  if (Array.isArray(value))
    return value.length > 5 ? `of ${value.length} entries` : toOneLine(`[${value.map(show).join(', ')}]`, 80);
  return value === null || typeof value !== 'object' ? String(value) : `with ${Object.keys(value).length} fields`;
}
