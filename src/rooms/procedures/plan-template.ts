/** Finds the plan that similar plans share, with a hole for each value that differs. */
import type { Json } from '../../core/schema/json.ts';
import { uniqueExamples, knownDifferences, markUsed, type Scope } from './run-differences.ts';
import { explainDifference, toTemplate } from './text-template.ts';
import { type Fields, isFields } from './plan-sample.ts';

/** Returns null when the plans have different structures. */
export function unifyValues(values: readonly Json[], scope: Scope, key: string | null): Json | null {
  const [first = null] = values;
  if (values.every((value) => JSON.stringify(value) === JSON.stringify(first)))
    return hasHole(first) ? null : replaceToday(first, scope);
  if (values.every((value) => typeof value === 'string')) return unifyTexts(values, scope, key);
  if (values.every((value) => Array.isArray(value))) return unifyLists(values, scope, key);
  if (values.every(isFields)) return unifyFields(values, scope);
  return values.some((value) => value !== null && typeof value === 'object')
    ? null
    : addUnknown(values.map(String), scope);
}

/** When all runs were on one day, that date is a parameter and not a constant, unless the tasks name it. */
function replaceToday(value: Json, scope: Scope): Json {
  const [{ day, text } = { day: '', text: '' }, ...others] = scope.samples;
  const isToday = others.every((other) => other.day === day) && !text.includes(day);
  if (!isToday || !JSON.stringify(value).includes(day)) return value;
  scope.used.add('today');
  return JSON.parse(JSON.stringify(value).replaceAll(day, '{{input.today}}')) as Json;
}

const hasHole = (value: Json): boolean => JSON.stringify(value).includes('{{');

function unifyTexts(values: readonly string[], scope: Scope, key: string | null): Json | null {
  if (values.some((value) => value.includes('{{'))) return null;
  const parts = explainDifference(values, knownDifferences(scope));
  // The title of a step does not matter.
  if (parts === null) return key === 'title' ? 'step' : key === 'goal' ? null : addUnknown(values, scope);
  markUsed(parts, scope);
  return replaceToday(toTemplate(parts, 'input.'), scope);
}

function addUnknown(values: readonly string[], scope: Scope): string {
  const key = JSON.stringify(values);
  const same = scope.unknown.find((each) => JSON.stringify(each.values) === key);
  const name = same?.parameter.name ?? `value_${scope.unknown.length + 1}`;
  if (same === undefined)
    scope.unknown.push({
      parameter: { name, kind: 'text', from: 'task', examples: uniqueExamples(values) },
      values: [...values],
    });
  return `{{input.${name}}}`;
}

function unifyLists(values: readonly Json[][], scope: Scope, key: string | null): Json | null {
  const [first = []] = values;
  if (values.some((value) => value.length !== first.length)) return null;
  const items = first.map((_, at) =>
    unifyValues(
      values.map((value) => value[at] ?? null),
      scope,
      key,
    ),
  );
  return items.some((item, at) => item === null && first[at] !== null) ? null : items;
}

function unifyFields(values: readonly Fields[], scope: Scope): Json | null {
  const [first = {}] = values;
  const names = Object.keys(first).toSorted().join('\n');
  if (values.some((value) => Object.keys(value).toSorted().join('\n') !== names)) return null;
  const full: Fields = {};
  for (const name of Object.keys(first)) {
    const made = unifyValues(
      values.map((value) => value[name] ?? null),
      scope,
      name,
    );
    if (made === null && first[name] !== null) return null;
    full[name] = made;
  }
  return full;
}
