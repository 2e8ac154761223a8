import { describe, expect, it } from 'vitest';
import { conditionProblems, type ValueType } from '../../../src/core/engine/condition-problems.ts';
import type { Condition } from '../../../src/core/schema/condition.ts';

const types: Readonly<Record<string, ValueType>> = { 'fetch.price': 'number', 'last.name': 'text' };
const problemsOf = (condition: Condition): string[] =>
  conditionProblems(condition, 'nodes.0', (path) => types[path] ?? null, 'last').map(
    ({ path, rule, problem }) => `${path} (${rule}): ${problem}`,
  );

describe('what is wrong with a condition before it runs', () => {
  it.each<[string, Condition]>([
    ['one comparison', { field: 'name', operator: 'eq', right: 'x' }],
    ['a comparison with null', { left: '{{fetch.price}}', operator: 'ne', right: null }],
    ['something that is known only when it runs', { left: '{{other.x}}', operator: 'gt', right: 5 }],
    ['a pattern', { field: 'name', operator: 'matches', right: '^a+$' }],
    ['a combination', { all: [{ operator: 'exists' }, { not: { any: [{ operator: 'is_empty' }] } }] }],
  ])('finds nothing wrong with %s', (_, condition) => {
    expect(problemsOf(condition)).toEqual([]);
  });

  it.each<[string, Condition, string]>([
    [
      'a number and a text',
      { left: '{{fetch.price}}', operator: 'gt', right: '40' },
      'nodes.0 (types): gt cannot compare number with text',
    ],
    [
      'a field whose schema says text and a number',
      { field: 'name', operator: 'eq', right: 3 },
      'nodes.0 (types): eq cannot compare text with number',
    ],
    [
      'a list without an entry of the type',
      { left: '{{fetch.price}}', operator: 'in', right: ['1', '2'] },
      'nodes.0 (types): the left side of "in" is number, and no entry of the list is',
    ],
    [
      'two literals deep inside',
      { all: [{ operator: 'exists' }, { not: { left: 1, operator: 'starts_with', right: 'x' } }] },
      'nodes.0.all.1.not (types): starts_with takes text at its left side, and this is number',
    ],
    [
      'a text that is searched for a number',
      { left: 'abc', operator: 'contains', right: 1 },
      'nodes.0 (types): contains cannot compare text with number',
    ],
    [
      'a pattern that is none',
      { field: 'name', operator: 'matches', right: '(?=a)' },
      'nodes.0.right (condition): the pattern cannot be used: lookahead and lookbehind are not supported',
    ],
    [
      'no operator',
      { field: 'name', right: 3 },
      'nodes.0 (condition): a condition has exactly one of operator, all, any and not; this has none of them',
    ],
    [
      'two forms at once',
      { operator: 'exists', all: [] },
      'nodes.0 (condition): a condition has exactly one of operator, all, any and not; this has operator and all',
    ],
    ['a right side too many', { operator: 'exists', right: 1 }, 'nodes.0.right (condition): exists has no right side'],
    ['a right side too few', { operator: 'eq' }, 'nodes.0.right (condition): eq needs something to compare with'],
    [
      'two left sides',
      { field: 'a', left: 1, operator: 'exists' },
      'nodes.0.field (condition): a comparison has either field or left, and not both',
    ],
  ])('reports %s', (_, condition, problem) => {
    expect(problemsOf(condition)).toEqual([problem]);
  });
});
