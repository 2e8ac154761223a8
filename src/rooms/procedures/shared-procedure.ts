/**
 * Owns: a procedure on its way to other homes: what is left of it, and what it is at the home that imports it. Pure.
 *
 * 1. Only what a plan needs travels: the words that its tasks have in common, its calls, checks and targets. Values of
 *    earlier tasks are masked: their form is left, and nothing else.
 * 2. Names, titles and everything that people are shown are made at the home that imports it. It has no runs behind it
 *    there, so nothing is planned from it until a run of that home confirms it (draft-procedure.ts).
 * 3. One that was itself imported, that a person wrote (`targets: null`), or whose steps are not all calls does not travel.
 */
import { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import { SharedProcedure } from '../../core/schema/fleet-memory.ts';
import { Procedure } from '../../core/schema/procedure.ts';
import { fillProcedure, isProblem, unreadableParameters } from './fill-procedure.ts';
import { matchTask } from './match-task.ts';
import { deriveValue } from './parameter-values.ts';
import { type Fields, isFields, nodesIn, renameSteps } from './plan-sample.ts';
import { planShape } from './plan-shape.ts';
import { type Token, tokenize } from '../../kit/learning/task-tokens.ts';
import { fillTemplate } from './text-template.ts';
import { describeSteps, titleFromTemplate } from './unify-runs.ts';

/** Words that a task has to share with it, so that no template fits everything. */
const MIN_CONSTANTS = 3;
const SOME_DAY = '2026-01-31';

/** Null when it does not travel (3). */
export function toSharedProcedure({ procedure }: { procedure: Procedure }): SharedProcedure | null {
  const { id, task, graph, criteria, targets, from, parameters } = procedure;
  if (from !== undefined || targets === null || !isFields(graph)) return null;
  const masked = parameters.map((each) => ({ ...each, examples: each.examples.slice(0, 1).map(maskValue) }));
  const checks = criteria.filter(({ author }) => author === 'model').map(({ text }) => text);
  const read = SharedProcedure.safeParse({
    id,
    task,
    parameters: masked,
    graph: withoutNames(graph),
    criteria: checks,
    targets,
  });
  if (!read.success) return null;
  return toImported('nobody', read.data)?.procedure.shape === procedure.shape ? read.data : null;
}

/** Letters and digits are replaced: what has the form of a path, a date or a name still has it. */
const maskValue = (value: string): string =>
  value
    .replaceAll(/\p{Lu}/gu, 'X')
    .replaceAll(/\p{L}/gu, (letter) => (letter === 'X' ? 'X' : 'x'))
    .replaceAll(/\p{N}/gu, '1');

/** The steps by number, and without what people call them. */
function withoutNames(graph: Json): Json {
  const { title: _, ...rest } = graph as Fields;
  const nodes = nodesIn(graph).map(({ title: __, ...node }) => node);
  return renameSteps({ ...rest, nodes }, { nodes: nodes.map((_node, at) => ({ id: `step-${at + 1}` })) });
}

type Imported = {
  /** Its id is made where its family is known. */
  procedure: Omit<Procedure, 'id' | 'version'>;
  /** A task that it fits. */
  text: string;
  tokens: readonly Token[];
};

/** Null when nothing could be planned from it (2). */
export function toImported(member: string, shared: SharedProcedure): Imported | null {
  const { task, parameters, criteria, targets } = shared;
  if (!Graph.safeParse(shared.graph).success || !nodesIn(shared.graph).every(isCall)) return null;
  const graph = withoutNames(shared.graph);
  const calls = nodesIn(graph);
  const read = Procedure.safeParse({
    id: 'imported',
    title: titleFromTemplate(task),
    trigger: ['imported'],
    task,
    parameters,
    shape: '0'.repeat(64),
    graph,
    criteria: criteria.map((text) => ({ text, author: 'model' })),
    tools: [...new Set(calls.flatMap(({ tool }) => (typeof tool === 'string' ? [tool] : [])))].toSorted(),
    targets,
    steps: describeSteps(graph),
    evidence: [],
    from: member,
  });
  if (!read.success || unreadableParameters(shared).length > 0) return null;
  const values = exampleValues(parameters);
  const text = fillTemplate(task, values);
  const tokens = tokenize(text);
  const match = matchTask(read.data, text);
  const filled = fillProcedure(read.data, values, SOME_DAY);
  if (tokens === null || match.kind !== 'match' || match.constants < MIN_CONSTANTS || isProblem(filled)) return null;
  const plan = Graph.safeParse(filled.graph);
  const shape = plan.success ? planShape(plan.data, text) : null;
  if (shape === null) return null;
  const { id: _, version: __, ...procedure } = read.data;
  return { procedure: { ...procedure, shape, trigger: [text.slice(0, 2000)] }, text, tokens };
}

const isCall = ({ kind, input = null }: Fields): boolean => kind === 'tool' && isFields(input);

function exampleValues(parameters: SharedProcedure['parameters']): Record<string, string> {
  const values = Object.fromEntries(
    parameters.flatMap(({ name, from, examples: [first] }) =>
      from === 'task' && first !== undefined ? [[name, first]] : [],
    ),
  );
  for (const each of parameters)
    if (each.from !== 'task') values[each.name] = deriveValue(each, values, SOME_DAY) ?? '';
  return values;
}
