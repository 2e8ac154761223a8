/**
 * Owns: from runs of one family and one shape to the procedure behind them.
 *
 * 1. With the values of each run filled in, the procedure gives the plan of that run again.
 * 2. A value that is neither the same everywhere nor follows from the task becomes a parameter that no task can fill:
 *    such a procedure is only shown to the planner.
 */
import type { Json } from '../../schema/json.ts';
import { type Parameter, Procedure } from '../../schema/procedure.ts';
import type { Planned } from '../../schema/task-run.ts';
import { aligned, type Aligned } from './align.ts';
import { explained, type Known, type Parts, rendered, templateOf } from './explain.ts';
import { type Filled, filledProcedure, isProblem } from './fill.ts';
import { derivedFrom } from './values.ts';

/** A run that went well, as far as a procedure is made of it. */
export type Sample = Pick<Planned, 'criteria' | 'tools' | 'targets'> & {
  run: string;
  seq: number;
  day: string;
  /** The text of the task. */
  text: string;
  /** The plan. */
  graph: Json;
};

type Found = { parameter: Parameter; values: string[] };
type Fields = { [key: string]: Json };
/** What is known to differ, and what turned out to besides. */
type Scope = { found: Found[]; unknown: Found[]; used: Set<string>; samples: readonly Sample[] };

const MOST_EXAMPLES = 5;
const MOST_TRIGGERS = 10;
const DERIVED = ['basename', 'stem', 'folder'] as const;

export function unified(
  given: readonly Sample[],
  about: { id: string; version: number; shape: string; pitfalls: readonly string[] },
): Procedure | null {
  const text = aligned(given.map((sample) => sample.text));
  const samples = given.map((sample) => ({ ...sample, graph: renamed(sample.graph, given[0]?.graph ?? null) }));
  if (text === null || !haveSameTools(samples)) return null;
  const scope: Scope = { found: foundIn(text, samples), unknown: [], used: new Set(), samples };
  const graph = templateFor(
    samples.map((sample) => sample.graph),
    scope,
    null,
  );
  const criteria = criteriaFor(scope);
  const targets = targetsFor(scope);
  if (graph === null || criteria === null || targets === undefined) return null;
  const parsed = Procedure.safeParse({
    ...about,
    title: titleOf(text.template),
    trigger: samples.slice(-MOST_TRIGGERS).map((sample) => sample.text.slice(0, 2000)),
    task: text.template,
    parameters: parametersOf(scope, text),
    graph,
    criteria,
    tools: samples[0]?.tools ?? [],
    targets,
    steps: stepsOf(graph),
    pitfalls: [...about.pitfalls],
    evidence: samples.map(({ run, seq }) => ({ run, seq })),
  });
  return parsed.success && givesBack(parsed.data, scope) ? parsed.data : null;
}

/** A plan with the steps named as in another: what a step is called makes no difference. */
export function renamed(graph: Json, like: Json): Json {
  const ids = new Map(nodesIn(graph).map(({ id }, at) => [id, nodesIn(like)[at]?.['id'] ?? id]));
  const nodes = nodesIn(graph).map((node): Fields => {
    const { id = '', needs = [], idempotency_key: key } = node;
    const asked = (needs as string[]).map((need) => ids.get(need) ?? need);
    return {
      ...node,
      id: ids.get(id) ?? id,
      needs: asked,
      ...(key === id ? { idempotency_key: ids.get(id) ?? id } : {}),
    };
  });
  return { ...(graph as Fields), nodes };
}

const nodesIn = (graph: Json): Fields[] => (isFields(graph) ? ((graph['nodes'] ?? []) as Fields[]) : []);

function haveSameTools([first, ...others]: readonly Sample[]): boolean {
  const told = (sample: Sample | undefined): string =>
    JSON.stringify([sample?.tools.toSorted(), sample?.targets === null]);
  return others.every((other) => told(other) === told(first));
}

/** What the tasks say, and what follows from that. */
function foundIn({ holes }: Aligned, samples: readonly Sample[]): Found[] {
  const read = holes.map(({ name, kind, values }): Found => {
    return { parameter: { name, kind, from: 'task', examples: examplesIn(values) }, values };
  });
  const made = holes.flatMap(({ name, kind, values }) =>
    kind === 'path' ? DERIVED.flatMap((from) => derived(from, name, values)) : [],
  );
  const days = samples.map(({ day }) => day);
  return [
    ...read,
    ...made,
    { parameter: { name: 'today', kind: 'date', from: 'today', examples: examplesIn(days) }, values: days },
  ];
}

function derived(from: (typeof DERIVED)[number], of: string, sources: readonly string[]): Found[] {
  const parameter: Parameter = { name: `${of}_${from}`.slice(0, 40), kind: 'path', from, of, examples: [] };
  const values = sources.map((source) => derivedFrom(parameter, { [of]: source }, '') ?? '');
  if (values.some((value, run) => value === '' || value === sources[run])) return [];
  return [{ parameter: { ...parameter, examples: examplesIn(values) }, values }];
}

const examplesIn = (values: readonly string[]): string[] =>
  [...new Set(values)].slice(0, MOST_EXAMPLES).map((value) => value.slice(0, 500));

const knownIn = ({ found }: Scope): Known[] => found.map(({ parameter: { name }, values }) => ({ name, values }));

/** Null when the plans are not built alike. */
function templateFor(values: readonly Json[], scope: Scope, key: string | null): Json | null {
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
const isFields = (value: Json): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

function textFor(values: readonly string[], scope: Scope, key: string | null): Json | null {
  if (values.some((value) => value.includes('{{'))) return null;
  const parts = explained(values, knownIn(scope));
  // What a step is called makes no difference.
  if (parts === null) return key === 'title' ? 'step' : key === 'goal' ? null : unknownFor(values, scope);
  use(parts, scope);
  return withToday(templateOf(parts, 'input.'), scope);
}

const use = (parts: Parts, { used }: Scope): void =>
  parts.forEach((part) => void (typeof part === 'string' || used.add(part.hole)));

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

/** Each text of the first run that all runs have, in words of their own; null when one is of a run alone. */
function commonTexts(lists: readonly (readonly string[])[], scope: Scope): (string | null)[] {
  const [first = [], second = first] = lists;
  return first.map((text) => {
    for (const other of [text, ...second]) {
      const parts = pairExplained(text, other, scope);
      const template = parts === null ? null : templateOf(parts);
      if (parts === null || template === null) continue;
      if (!lists.every((list, run) => list.includes(rendered(template, valuesOf(scope, run))))) continue;
      use(parts, scope);
      return template;
    }
    return null;
  });
}

function pairExplained(a: string, b: string, scope: Scope): Parts | null {
  const known = knownIn(scope).map(({ name, values }) => ({ name, values: values.slice(0, 2) }));
  return a.includes('{{') || b.includes('{{') ? null : explained([a, b], known);
}

const valuesOf = ({ found }: Scope, run: number): Record<string, string> =>
  Object.fromEntries(found.map(({ parameter: { name }, values }) => [name, values[run] ?? '']));

/** What a person wants is read from the next task itself; it is kept for the page. */
function criteriaFor(scope: Scope): Procedure['criteria'] | null {
  const listed = (author: 'operator' | 'model'): string[][] =>
    scope.samples.map(({ criteria }) => criteria.filter((each) => each.author === author).map(({ text }) => text));
  const own = listed('model');
  const made = commonTexts(own, scope);
  const isWhole = own.every((texts) => texts.length === made.length) && !made.includes(null);
  if (!isWhole) return null;
  const wanted = commonTexts(listed('operator'), scope);
  return [
    ...wanted.flatMap((text) => (text === null ? [] : [{ text, author: 'operator' as const }])),
    ...made.flatMap((text) => (text === null ? [] : [{ text, author: 'model' as const }])),
  ];
}

/** Undefined when they cannot be told. */
function targetsFor(scope: Scope): string[] | null | undefined {
  const lists = scope.samples.map(({ targets }) => targets);
  if (lists.every((list) => list === null)) return null;
  const targets = commonTexts(
    lists.map((list) => list ?? []),
    scope,
  );
  const isWhole = lists.every((list) => list?.length === targets.length) && !targets.includes(null);
  return isWhole ? targets.flatMap((target) => target ?? []) : undefined;
}

/** All that the text has, and of the rest what is used. */
function parametersOf({ found, unknown, used }: Scope, { holes }: Aligned): Parameter[] {
  const told = new Set(holes.map(({ name }) => name));
  return [...found.filter(({ parameter: { name } }) => told.has(name) || used.has(name)), ...unknown].map(
    ({ parameter }) => parameter,
  );
}

/** 1. Where a value is not let in, the procedure is still worth showing. */
function givesBack(procedure: Procedure, scope: Scope): boolean {
  if (scope.unknown.length > 0) return true;
  return scope.samples.every((sample, run) => {
    const filled = filledProcedure(procedure, valuesOf(scope, run), sample.day);
    return isProblem(filled) || isSamePlan(filled, sample);
  });
}

/** Whether a procedure gives what was planned without it. */
export function isSamePlan(filled: Pick<Filled, 'graph' | 'criteria' | 'targets'>, sample: Sample): boolean {
  const told = (graph: Json, { criteria, targets }: Pick<Filled, 'criteria' | 'targets'>): string => {
    const own = criteria.filter(({ author }) => author === 'model').map(({ text }) => text);
    return JSON.stringify([sorted(withoutTitles(graph)), own.toSorted(), targets?.toSorted() ?? null]);
  };
  return told(filled.graph, filled) === told(renamed(sample.graph, filled.graph), sample);
}

/** Fields in one order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

function withoutTitles(graph: Json): Json {
  const { nodes: _, title: __, ...rest } = graph as Fields;
  return { ...rest, nodes: nodesIn(graph).map(({ title: ___, ...node }) => node) };
}

function titleOf(template: string): string {
  const line =
    template.split('\n').find((each) => !/^(?:dir|mode|accept): /.test(each) && each.trim() !== '') ?? template;
  const plain = line
    .replace(/^(?:title: |#+ )/, '')
    .replaceAll(/\{\{(\w+)\}\}/g, '<$1>')
    .replaceAll(/\s+/g, ' ');
  return plain.length <= 120 ? plain : `${plain.slice(0, 119)}…`;
}

/** The steps for a person. */
function stepsOf(graph: Json): string[] {
  return nodesIn(graph).map((node) => {
    const what = node['kind'] === 'agent' ? `goal: ${JSON.stringify(node['goal'])}` : callOf(node);
    return what.replaceAll(/\{\{input\.(\w+)\}\}/g, '{{$1}}').slice(0, 4000);
  });
}

function callOf({ tool, input }: Fields): string {
  const { line, argv } = isFields(input ?? null) ? (input as Fields) : {};
  if (tool === 'shell' && typeof line === 'string') return line;
  if (tool === 'shell' && Array.isArray(argv)) return argv.map(String).join(' ');
  return `${typeof tool === 'string' ? tool : ''} ${JSON.stringify(input ?? {})}`;
}
