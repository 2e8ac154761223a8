/** Owns: what is wrong with a typed condition, as far as it can be seen before it is evaluated. */
import { type Condition, Operator } from '../schema/condition.ts';
import type { Json } from '../schema/json.ts';
import { isUnary, patternFor, typeName } from './evaluate-condition.ts';
import { isTemplate, onlyPath } from './template.ts';

export type ValueType = ReturnType<typeof typeName>;

/** The type of what a template such as `fetch.price` or `input.day` refers to, where a schema says so. */
export type TypeLookup = (path: string) => ValueType | null;

type ConditionProblem = { path: string; rule: string; problem: string; fix?: string };

const FORMS = ['operator', 'all', 'any', 'not'] as const;

const noTypes: TypeLookup = () => null;

/** `at` is the place of the condition in the graph, `input` the path of the node's input, if it has one. */
export function conditionProblems(
  condition: Condition,
  at: string,
  types: TypeLookup = noTypes,
  input: string | null = null,
): ConditionProblem[] {
  const { all, any, not, operator } = condition;
  const forms = FORMS.filter((form) => condition[form] !== undefined);
  if (forms.length !== 1) return [wrongForms(at, forms)];
  if (all !== undefined)
    return all.flatMap((each, index) => conditionProblems(each, `${at}.all.${index}`, types, input));
  if (any !== undefined)
    return any.flatMap((each, index) => conditionProblems(each, `${at}.any.${index}`, types, input));
  if (not !== undefined) return conditionProblems(not, `${at}.not`, types, input);
  return operator === undefined ? [] : comparisonProblems(condition, operator, at, types, input);
}

function wrongForms(at: string, forms: readonly string[]): ConditionProblem {
  const found = forms.length === 0 ? 'none of them' : forms.join(' and ');
  return {
    path: at,
    rule: 'condition',
    problem: `a condition has exactly one of operator, all, any and not; this has ${found}`,
    fix: 'Combine several comparisons with "all" or "any".',
  };
}

function comparisonProblems(
  condition: Condition,
  operator: Operator,
  at: string,
  types: TypeLookup,
  input: string | null,
): ConditionProblem[] {
  const { field, left, right } = condition;
  const found: ConditionProblem[] = [];
  const report = (path: string, problem: string, fix: string): void =>
    void found.push({ path: `${at}.${path}`, rule: 'condition', problem, fix });
  if (field !== undefined && left !== undefined)
    report('field', 'a comparison has either field or left, and not both', 'Leave one of them out.');
  if (isUnary(operator) && right !== undefined) report('right', `${operator} has no right side`, 'Leave "right" out.');
  if (!isUnary(operator) && right === undefined)
    report('right', `${operator} needs something to compare with`, 'Add "right"; null stands for a missing value.');
  if (found.length > 0) return found;
  const leftIs = leftType(condition, types, input);
  const clash =
    typeClash(operator, leftIs, staticType(right ?? null, types)) ?? entryClash(operator, leftIs, right, types);
  if (clash !== null) found.push({ path: at, rule: 'types', problem: clash, fix: SAME_TYPE });
  if (operator === 'matches' && typeof right === 'string' && !isTemplate(right)) {
    const pattern = patternFor(right);
    if ('problem' in pattern) report('right', `the pattern cannot be used: ${pattern.problem}`, 'Correct the pattern.');
  }
  return found;
}

function leftType({ left, field }: Condition, types: TypeLookup, input: string | null): ValueType | null {
  if (left !== undefined) return staticType(left, types);
  if (input === null) return null;
  return types(field === undefined || field === '' ? input : `${input}.${field}`);
}

/** The type of a literal or a template; null when it is known only when the graph runs. */
function staticType(value: Json, types: TypeLookup): ValueType | null {
  if (typeof value !== 'string') return typeName(value);
  const path = onlyPath(value);
  return path === null ? 'text' : types(path);
}

const SAME_TYPE = 'Compare values of one type; a number in quotes is a text.';

/** Why values of these types cannot be compared; null where they can be, or where a type is not known. */
function typeClash(operator: Operator, left: ValueType | null, right: ValueType | null): string | null {
  const takes = ACCEPTED[operator];
  if (left !== null && !takes.left.includes(left))
    return `${operator} takes ${takes.left.join(' or ')} at its left side, and this is ${left}`;
  if (right !== null && !takes.right.includes(right))
    return `${operator} takes ${takes.right.join(' or ')} at its right side, and this is ${right}`;
  const mustMatch = takes.mustMatch || (takes === part && left === 'text');
  return mustMatch && !areComparable(left, right) ? `${operator} cannot compare ${left} with ${right}` : null;
}

/** Why nothing in the list that is written at the right can be equal to the left side. */
function entryClash(
  operator: Operator,
  left: ValueType | null,
  right: Json | undefined,
  types: TypeLookup,
): string | null {
  if (operator !== 'in' || !Array.isArray(right) || right.length === 0) return null;
  const entries = right.map((entry) => staticType(entry, types));
  if (entries.some((entry) => areComparable(left, entry))) return null;
  return `the left side of "in" is ${left}, and no entry of the list is`;
}

const areComparable = (a: ValueType | null, b: ValueType | null): boolean =>
  a === null || b === null || a === 'null' || b === 'null' || a === b;

type Accepted = { left: readonly ValueType[]; right: readonly ValueType[]; mustMatch: boolean };

const ANY_TYPE: readonly ValueType[] = ['null', 'text', 'number', 'boolean', 'list', 'object'];
const equality: Accepted = { left: ANY_TYPE, right: ANY_TYPE, mustMatch: true };
const order: Accepted = { left: ['number', 'text'], right: ['number', 'text'], mustMatch: true };
const texts: Accepted = { left: ['text'], right: ['text'], mustMatch: true };
const part: Accepted = { left: ['text', 'list'], right: ANY_TYPE, mustMatch: false };

const ACCEPTED: Readonly<Record<Operator, Accepted>> = {
  eq: equality,
  ne: equality,
  gt: order,
  gte: order,
  lt: order,
  lte: order,
  contains: part,
  not_contains: part,
  starts_with: texts,
  ends_with: texts,
  matches: texts,
  in: { left: ANY_TYPE, right: ['list'], mustMatch: false },
  exists: { left: ANY_TYPE, right: ANY_TYPE, mustMatch: false },
  is_empty: { left: ['null', 'text', 'list', 'object'], right: ANY_TYPE, mustMatch: false },
};
