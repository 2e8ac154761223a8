/**
 * Owns: deriving a procedure from runs of one family and one shape.
 *
 * 1. Filled with the values of a run, the procedure gives the plan of that run again.
 * 2. A value that is neither constant nor derived from the task becomes a parameter that no task can fill; such a
 *    procedure is only shown to the planner.
 */
import type { Json } from '../../core/schema/json.ts';
import { type Parameter, Procedure } from '../../core/schema/procedure.ts';
import { type Aligned, alignTexts } from './align-texts.ts';
import {
  findDifferences,
  knownDifferences,
  markUsed,
  type Scope,
  uniqueExamples,
  valuesOfRun,
} from './run-differences.ts';
import { fillProcedure, isProblem } from './fill-procedure.ts';
import { type Fields, isFields, isSamePlan, nodesIn, renameSteps, type Sample } from './plan-sample.ts';
import { explainDifference, fillTemplate, type Parts, toTemplate } from './text-template.ts';

const hasHole = (value: Json): boolean => JSON.stringify(value).includes('{{');

const MAX_TRIGGERS = 10;

export function unifyRuns(
  given: readonly Sample[],
  about: { id: string; version: number; shape: string; pitfalls: readonly string[] },
): Procedure | null {
  const text = alignTexts(given.map((sample) => sample.text));
  const samples = given.map((sample) => ({ ...sample, graph: renameSteps(sample.graph, given[0]?.graph ?? null) }));
  if (text === null || !haveSameTools(samples)) return null;
  const scope: Scope = { found: findDifferences(text, samples), unknown: [], used: new Set(), samples };
  const graph = unifyValues(
    samples.map((sample) => sample.graph),
    scope,
    null,
  );
  const criteria = unifyCriteria(scope);
  const targets = unifyTargets(scope);
  if (graph === null || criteria === null || targets === undefined) return null;
  const parsed = Procedure.safeParse({
    ...about,
    title: titleFromTemplate(text.template),
    trigger: samples.slice(-MAX_TRIGGERS).map((sample) => sample.text.slice(0, 2000)),
    task: text.template,
    parameters: usedParameters(scope, text),
    graph,
    criteria,
    tools: samples[0]?.tools ?? [],
    targets,
    steps: describeSteps(graph),
    pitfalls: [...about.pitfalls],
    evidence: samples.map(({ run, seq }) => ({ run, seq })),
  });
  return parsed.success && reproducesRuns(parsed.data, scope) ? parsed.data : null;
}

function haveSameTools([first, ...others]: readonly Sample[]): boolean {
  const toolsOf = (sample: Sample | undefined): string =>
    JSON.stringify([sample?.tools.toSorted(), sample?.targets === null]);
  return others.every((other) => toolsOf(other) === toolsOf(first));
}

/** All parameters of the task text, and those others that the plan uses. */
function usedParameters({ found, unknown, used }: Scope, { holes }: Aligned): Parameter[] {
  const stated = new Set(holes.map(({ name }) => name));
  return [...found.filter(({ parameter: { name } }) => stated.has(name) || used.has(name)), ...unknown].map(
    ({ parameter }) => parameter,
  );
}

/** Whether it reproduces every run (1); a procedure with unknown values is still worth showing. */
function reproducesRuns(procedure: Procedure, scope: Scope): boolean {
  if (scope.unknown.length > 0) return true;
  return scope.samples.every((sample, run) => {
    const filled = fillProcedure(procedure, valuesOfRun(scope, run), sample.day);
    return isProblem(filled) || isSamePlan(filled, sample);
  });
}

export function titleFromTemplate(template: string): string {
  const line =
    template.split('\n').find((each) => !/^(?:dir|mode|accept): /.test(each) && each.trim() !== '') ?? template;
  const plain = line
    .replace(/^(?:title: |#+ )/, '')
    .replaceAll(/\{\{(\w+)\}\}/g, '<$1>')
    .replaceAll(/\s+/g, ' ');
  return plain.length <= 120 ? plain : `${plain.slice(0, 119)}…`;
}

/** Describes the steps for people. */
export function describeSteps(graph: Json): string[] {
  return nodesIn(graph).map((node) => {
    const what = node['kind'] === 'agent' ? `goal: ${JSON.stringify(node['goal'])}` : describeCall(node);
    return what.replaceAll(/\{\{input\.(\w+)\}\}/g, '{{$1}}').slice(0, 4000);
  });
}

function describeCall({ tool, input }: Fields): string {
  const { line, argv } = isFields(input ?? null) ? (input as Fields) : {};
  if (tool === 'shell' && typeof line === 'string') return line;
  if (tool === 'shell' && Array.isArray(argv)) return argv.map(String).join(' ');
  return `${typeof tool === 'string' ? tool : ''} ${JSON.stringify(input ?? {})}`;
}

/** A person's own criteria are read from each task again; they are included for the page. */
function unifyCriteria(scope: Scope): Procedure['criteria'] | null {
  const listed = (author: 'operator' | 'model'): string[][] =>
    scope.samples.map(({ criteria }) => criteria.filter((each) => each.author === author).map(({ text }) => text));
  const own = listed('model');
  const made = findCommonTexts(own, scope);
  const isWhole = own.every((texts) => texts.length === made.length) && !made.includes(null);
  if (!isWhole) return null;
  const wanted = findCommonTexts(listed('operator'), scope);
  return [
    ...wanted.flatMap((text) => (text === null ? [] : [{ text, author: 'operator' as const }])),
    ...made.flatMap((text) => (text === null ? [] : [{ text, author: 'model' as const }])),
  ];
}

/** Returns undefined when the runs have no common targets. */
function unifyTargets(scope: Scope): string[] | null | undefined {
  const lists = scope.samples.map(({ targets }) => targets);
  if (lists.every((list) => list === null)) return null;
  const targets = findCommonTexts(
    lists.map((list) => list ?? []),
    scope,
  );
  const isWhole = lists.every((list) => list?.length === targets.length) && !targets.includes(null);
  return isWhole ? targets.flatMap((target) => target ?? []) : undefined;
}

/** Each text of the first run as a template that fits all runs; null for a text that only some runs have. */
function findCommonTexts(lists: readonly (readonly string[])[], scope: Scope): (string | null)[] {
  const [first = [], second = first] = lists;
  return first.map((text) => {
    for (const other of [text, ...second]) {
      const parts = explainPair(text, other, scope);
      const template = parts === null ? null : toTemplate(parts);
      if (parts === null || template === null) continue;
      if (!lists.every((list, run) => list.includes(fillTemplate(template, valuesOfRun(scope, run))))) continue;
      markUsed(parts, scope);
      return template;
    }
    return null;
  });
}

function explainPair(a: string, b: string, scope: Scope): Parts | null {
  const known = knownDifferences(scope).map(({ name, values }) => ({ name, values: values.slice(0, 2) }));
  return a.includes('{{') || b.includes('{{') ? null : explainDifference([a, b], known);
}

/** Returns null when the plans have different structures. */
function unifyValues(values: readonly Json[], scope: Scope, key: string | null): Json | null {
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
