/**
 * Owns: from runs of one family and one shape to the procedure behind them.
 *
 * 1. With the values of each run filled in, the procedure gives the plan of that run again.
 * 2. A value that is neither the same everywhere nor follows from the task becomes a parameter that no task can fill:
 *    such a procedure is only shown to the planner.
 */
import type { Json } from '../../schema/json.ts';
import { type Parameter, Procedure } from '../../schema/procedure.ts';
import { aligned, type Aligned } from './align.ts';
import { criteriaFor, targetsFor } from './common-texts.ts';
import { foundIn, type Scope, valuesOf } from './differences.ts';
import { filledProcedure, isProblem } from './fill.ts';
import { templateFor } from './plan-template.ts';
import { type Fields, isFields, isSamePlan, nodesIn, renamed, type Sample } from './sample.ts';

const MOST_TRIGGERS = 10;

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

function haveSameTools([first, ...others]: readonly Sample[]): boolean {
  const told = (sample: Sample | undefined): string =>
    JSON.stringify([sample?.tools.toSorted(), sample?.targets === null]);
  return others.every((other) => told(other) === told(first));
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
