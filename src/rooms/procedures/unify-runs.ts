/**
 * Owns: deriving a procedure from runs of one family and one shape.
 *
 * 1. Filled with the values of a run, the procedure gives the plan of that run again.
 * 2. A value that is neither constant nor derived from the task becomes a parameter that no task can fill; such a
 *    procedure is only shown to the planner.
 */
import type { Json } from '../../core/schema/json.ts';
import { type Parameter, Procedure } from '../../core/schema/procedure.ts';
import { alignTexts, type Aligned } from './align-texts.ts';
import { unifyCriteria, unifyTargets } from './common-texts.ts';
import { findDifferences, type Scope, valuesOfRun } from './run-differences.ts';
import { fillProcedure, isProblem } from './fill-procedure.ts';
import { unifyValues } from './plan-template.ts';
import { type Fields, isFields, isSamePlan, nodesIn, renameSteps, type Sample } from './plan-sample.ts';

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
