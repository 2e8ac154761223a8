import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateCondition } from '../../../src/core/engine/evaluate-condition.ts';
import { conditionProblems } from '../../../src/core/engine/condition-problems.ts';
import { type Condition, Operator } from '../../../src/core/schema/condition.ts';
import type { Json } from '../../../src/core/schema/json.ts';

const resultOf = (condition: Condition, input: Json = null): boolean | string => {
  const found = evaluateCondition(condition, { input, lookup: (name) => (name === 'input' ? input : undefined) });
  return 'error' in found ? found.error : found.isTrue;
};

describe('a typed condition', () => {
  it.each<[Json, Operator, Json, boolean]>([
    [41, 'gt', 40, true],
    [40, 'gte', 40, true],
    ['2026-01-02', 'lt', '2026-01-10', true],
    [1, 'eq', 1, true],
    [{ a: 1, b: [2] }, 'eq', { b: [2], a: 1 }, true],
    [null, 'eq', 5, false],
    [null, 'ne', 5, true],
    ['an urgent letter', 'contains', 'urgent', true],
    [[1, 2], 'contains', 2, true],
    [[1, 2], 'not_contains', 3, true],
    [[], 'contains', 'x', false],
    ['b', 'in', ['a', 'b'], true],
    ['invoice-7.pdf', 'matches', '^invoice-\\d+\\.pdf$', true],
    ['abc', 'starts_with', 'ab', true],
    ['abc', 'ends_with', 'ab', false],
  ])('%j %s %j is %s', (left, operator, right, expected) => {
    expect(resultOf({ left, operator, right })).toBe(expected);
  });

  it('compares a field of the input, and a missing one is null', () => {
    expect(resultOf({ field: 'a.0.b', operator: 'eq', right: 3 }, { a: [{ b: 3 }] })).toBe(true);
    expect(resultOf({ field: 'a.0.c', operator: 'exists' }, { a: [{ b: 3 }] })).toBe(false);
    expect(resultOf({ operator: 'is_empty' }, [])).toBe(true);
    expect(resultOf({ left: '{{input.x}}', operator: 'gt', right: '{{input.y}}' }, { x: 2, y: 1 })).toBe(true);
  });

  it.each<[Json, Operator, Json, string]>([
    [41, 'gt', '40', 'gt cannot compare the number 41 with the text "40"'],
    ['41', 'eq', 41, 'eq cannot compare the text "41" with the number 41'],
    [null, 'lt', 3, 'lt cannot compare null (nothing is there) with the number 3'],
    [true, 'eq', 'true', 'eq cannot compare the boolean true with the text "true"'],
    [
      ['1', '2'],
      'contains',
      1,
      'contains cannot find the number 1 in a list whose entries are of another type, such as the text "1"',
    ],
    [5, 'is_empty', null, 'is_empty takes a text, a list or an object, and not the number 5'],
    ['a', 'in', 'abc', 'in cannot compare the text "a" with the text "abc"'],
    ['a', 'matches', '(', 'the pattern "(" cannot be used: Invalid regular expression: /(/u: Unterminated group'],
  ])('C1 %j %s %j is an error that says both types', (left, operator, right, error) => {
    expect(resultOf({ left, operator, right })).toBe(error);
  });

  it('C2 all and any stop at the first that decides, so that what would be an error is not compared', () => {
    const unsafe: Condition = { field: 'price', operator: 'gt', right: 5 };
    expect(resultOf({ all: [{ field: 'price', operator: 'exists' }, unsafe] }, {})).toBe(false);
    expect(resultOf({ any: [{ not: { field: 'price', operator: 'exists' } }, unsafe] }, {})).toBe(true);
    expect(resultOf({ all: [unsafe, { field: 'price', operator: 'exists' }] }, {})).toMatch(/^gt cannot compare null/);
  });

  it('C3 a pattern that makes other engines hang is answered at once', () => {
    expect(resultOf({ left: `${'a'.repeat(50_000)}b`, operator: 'matches', right: '^(a+)+$' })).toBe(false);
  });

  it('agrees with a naive oracle on random values, operators and combinations', () => {
    fc.assert(
      fc.property(conditions, (condition) => {
        expect(typeof resultOf(condition) === 'string' ? 'error' : resultOf(condition)).toBe(naive(condition));
      }),
      { numRuns: 3000 },
    );
  });

  it('whatever validation finds wrong with the types of literals is an error when it is evaluated', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(...Operator.options), values, (left, operator, right) => {
        const isUnary = operator === 'exists' || operator === 'is_empty';
        const condition: Condition = isUnary ? { left, operator } : { left, operator, right };
        if (conditionProblems(condition, 'nodes.0').length > 0) expect(typeof resultOf(condition)).toBe('string');
      }),
      { numRuns: 2000 },
    );
  });
});

const scalars = fc.constantFrom<Json>(null, true, false, 0, 1, 2, '', 'a', 'ab', 'b', '1', 'true');
const values: fc.Arbitrary<Json> = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b'), scalars, { maxKeys: 2 }),
);
const comparisons: fc.Arbitrary<Condition> = fc.record({
  left: values,
  operator: fc.constantFrom(...Operator.options),
  right: values,
});
const { conditions } = fc.letrec<{ conditions: Condition }>((tie) => ({
  conditions: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    comparisons,
    fc.record({ all: fc.array(tie('conditions'), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('conditions'), { maxLength: 3 }) }),
    fc.record({ not: tie('conditions') }),
  ),
}));

/** What a condition is, written down once more in the simplest way. */
function naive(condition: Condition): boolean | 'error' {
  if (condition.not !== undefined) {
    const inner = naive(condition.not);
    return inner === 'error' ? inner : !inner;
  }
  if (condition.all !== undefined) return condition.all.map(naive).find((each) => each !== true) ?? true;
  if (condition.any !== undefined) return condition.any.map(naive).find((each) => each !== false) ?? false;
  return naiveComparison(condition.left as Json, condition.operator ?? 'eq', condition.right as Json);
}

function naiveComparison(a: Json, operator: Operator, b: Json): boolean | 'error' {
  const type = (value: Json): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);
  const text = (value: Json): string =>
    type(value) === 'object'
      ? JSON.stringify(Object.entries(value as object).toSorted(([x], [y]) => x.localeCompare(y)))
      : JSON.stringify(value);
  const same = (x: Json, y: Json): boolean => type(x) === type(y) && text(x) === text(y);
  const mixed = (x: Json, y: Json): boolean => type(x) !== type(y) && x !== null && y !== null;
  const within = (list: Json[], entry: Json): boolean | 'error' =>
    list.some((each) => same(each, entry)) || (list.length > 0 && list.every((each) => mixed(each, entry)) && 'error');
  const flip = (result: boolean | 'error'): boolean | 'error' => (result === 'error' ? result : !result);
  const texts = typeof a === 'string' && typeof b === 'string';
  const ordered = texts || (typeof a === 'number' && typeof b === 'number');
  switch (operator) {
    case 'eq':
      return mixed(a, b) ? 'error' : same(a, b);
    case 'ne':
      return mixed(a, b) ? 'error' : !same(a, b);
    case 'gt':
      return ordered ? a > b : 'error';
    case 'gte':
      return ordered ? a >= b : 'error';
    case 'lt':
      return ordered ? a < b : 'error';
    case 'lte':
      return ordered ? a <= b : 'error';
    case 'contains':
      return Array.isArray(a) ? within(a, b) : texts ? a.includes(b) : 'error';
    case 'not_contains':
      return flip(naiveComparison(a, 'contains', b));
    case 'in':
      return Array.isArray(b) ? within(b, a) : 'error';
    case 'starts_with':
      return texts ? a.startsWith(b) : 'error';
    case 'ends_with':
      return texts ? a.endsWith(b) : 'error';
    case 'matches':
      return texts ? new RegExp(b, 'u').test(a) : 'error';
    case 'exists':
      return a !== null;
    case 'is_empty':
      return type(a) === 'number' || type(a) === 'boolean' ? 'error' : a === null || Object.keys(a).length === 0;
  }
}
