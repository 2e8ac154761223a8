/** The plan behind plans that are built alike, with a hole for each value that differs. */
import type { Json } from '../../schema/json.ts';
import { examplesIn, knownIn, markUsed, type Scope } from './differences.ts';
import { explained, templateOf } from './explain.ts';
import { type Fields, isFields } from './sample.ts';

/** Null when the plans are not built alike. */
export function templateFor(values: readonly Json[], scope: Scope, key: string | null): Json | null {
  const [first = null] = values;
  if (values.every((value) => JSON.stringify(value) === JSON.stringify(first)))
    return hasHole(first) ? null : withToday(first, scope);
  if (values.every((value) => typeof value === 'string')) return textFor(values, scope, key);
  if (values.every((value) => Array.isArray(value))) return listFor(values, scope, key);
  if (values.every(isFields)) return fieldsFor(values, scope);
  return values.some((value) => value !== null && typeof value === 'object')
    ? null
    : unknownFor(values.map(String), scope);
}

/** The day of runs that all were on one day is no constant, unless the tasks name it. */
function withToday(value: Json, scope: Scope): Json {
  const [{ day, text } = { day: '', text: '' }, ...others] = scope.samples;
  const isToday = others.every((other) => other.day === day) && !text.includes(day);
  if (!isToday || !JSON.stringify(value).includes(day)) return value;
  scope.used.add('today');
  return JSON.parse(JSON.stringify(value).replaceAll(day, '{{input.today}}')) as Json;
}

const hasHole = (value: Json): boolean => JSON.stringify(value).includes('{{');

function textFor(values: readonly string[], scope: Scope, key: string | null): Json | null {
  if (values.some((value) => value.includes('{{'))) return null;
  const parts = explained(values, knownIn(scope));
  // What a step is called makes no difference.
  if (parts === null) return key === 'title' ? 'step' : key === 'goal' ? null : unknownFor(values, scope);
  markUsed(parts, scope);
  return withToday(templateOf(parts, 'input.'), scope);
}

function unknownFor(values: readonly string[], scope: Scope): string {
  const key = JSON.stringify(values);
  const same = scope.unknown.find((each) => JSON.stringify(each.values) === key);
  const name = same?.parameter.name ?? `value_${scope.unknown.length + 1}`;
  if (same === undefined)
    scope.unknown.push({
      parameter: { name, kind: 'text', from: 'task', examples: examplesIn(values) },
      values: [...values],
    });
  return `{{input.${name}}}`;
}

function listFor(values: readonly Json[][], scope: Scope, key: string | null): Json | null {
  const [first = []] = values;
  if (values.some((value) => value.length !== first.length)) return null;
  const items = first.map((_, at) =>
    templateFor(
      values.map((value) => value[at] ?? null),
      scope,
      key,
    ),
  );
  return items.some((item, at) => item === null && first[at] !== null) ? null : items;
}

function fieldsFor(values: readonly Fields[], scope: Scope): Json | null {
  const [first = {}] = values;
  const names = Object.keys(first).toSorted().join('\n');
  if (values.some((value) => Object.keys(value).toSorted().join('\n') !== names)) return null;
  const full: Fields = {};
  for (const name of Object.keys(first)) {
    const made = templateFor(
      values.map((value) => value[name] ?? null),
      scope,
      name,
    );
    if (made === null && first[name] !== null) return null;
    full[name] = made;
  }
  return full;
}
