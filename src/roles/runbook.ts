/**
 * Owns: the planner that needs no model. Fences of a task become the steps of a graph, in order.
 *
 * R1 Only what the operator fenced as bash, sh, shell, python or JavaScript runs; every other fence is text.
 * R2 The code of a step is the code of the fence: it is no template, and nothing is guessed where it is not clear.
 * R3 In a shell block of several lines each line has to succeed.
 * R4 Problems come all at once, each with its line.
 */
import { hash } from 'node:crypto';
import { checkGraph } from '../engine/check-graph.ts';
import { Graph, type Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { TaskFile } from '../schema/task-file.ts';
import { blocksOf, type LineProblem } from './blocks.ts';
import { criteriaIn, type Criterion, EVERY_STEP } from './criteria.ts';
import { isBelow } from './glob.ts';
import { inputWith, type Literals, literally } from './literal.ts';
import { type Language, problemsBetween, type Step, stepsIn } from './runbook-steps.ts';

export type Runbook = {
  kind: 'runbook';
  graph: Graph;
  /** What the graph has to be started with. */
  input: Json;
  criteria: Criterion[];
  author: 'operator';
  steps: { id: string; title: string; line: number; language: Language }[];
};

export type RunbookProblems = { kind: 'problems'; problems: LineProblem[] };

export type RunbookOptions = {
  /** Name of the graph when the task has no id. */
  name?: string;
  /** Line of the file at which the body begins. */
  firstLine?: number;
};

const TIMEOUT_SECONDS = 600;
const LONGEST_SECONDS = 86_400;
/** The tool stops the command itself; the node's own limit comes later and only if that fails. */
const GRACE_SECONDS = 15;

/** Null when the task is prose. */
export function runbookOf(
  body: string,
  task: TaskFile,
  options: RunbookOptions = {},
): Runbook | RunbookProblems | null {
  const { blocks, problems: shape } = blocksOf(body, options.firstLine);
  const { criteria, problems: unclear, taken } = criteriaIn(blocks, task.accept ?? []);
  const { steps, problems: wrong } = stepsIn(blocks, taken);
  const problems = [...shape, ...wrong, ...unclear, ...problemsBetween(steps), ...problemsWith(task)];
  if (problems.length > 0) return { kind: 'problems', problems: problems.toSorted((a, b) => a.line - b.line) };
  return steps.length === 0 ? null : graphOf(steps, task, criteria, options);
}

/** Criteria of a task that may be prose; the planner is given them. */
export function criteriaOf(body: string, task: TaskFile): { criteria: Criterion[]; problems: LineProblem[] } {
  const { criteria, problems } = criteriaIn(blocksOf(body).blocks, task.accept ?? []);
  return { criteria, problems };
}

function graphOf(
  steps: readonly Step[],
  task: TaskFile,
  criteria: Criterion[],
  options: RunbookOptions,
): Runbook | RunbookProblems {
  const literals: Literals = new Map();
  const mode = task.mode ?? 'bounded';
  const nodes = steps.map((step, index) => nodeOf(step, steps[index - 1], { ...task, mode }, literals));
  const graph = Graph.parse({
    id: task.id ?? options.name ?? 'runbook',
    ...(task.title === undefined ? {} : { title: task.title }),
    mode,
    author: 'operator',
    nodes,
    budgets: task.budget ?? {},
  });
  const problems = checkGraph(graph).map(({ path, problem }) => {
    const index = Number(/^nodes\.(\d+)/.exec(path)?.[1] ?? 0);
    return { line: steps[index]?.fence.line ?? 1, problem };
  });
  if (problems.length > 0) return { kind: 'problems', problems };
  return {
    kind: 'runbook',
    graph,
    input: inputWith(literals),
    criteria: criteria.length > 0 ? criteria : [EVERY_STEP],
    author: 'operator',
    steps: steps.map(({ id, title, fence, language }) => ({ id, title, line: fence.line, language })),
  };
}

function nodeOf(
  { id, title, fence, info, language }: Step,
  before: Step | undefined,
  task: TaskFile,
  literals: Literals,
): Node {
  const seconds = info.timeoutSeconds ?? TIMEOUT_SECONDS;
  const dir = [task.dir, info.dir].filter((part) => part !== undefined && part !== '').join('/');
  const code = literally(literals, id, 'code', codeOf(language, fence.code));
  const input: Json = {
    ...(language === 'shell' ? { line: code } : { argv: [...PROGRAMS[language], code] }),
    ...(dir === '' ? {} : { dir }),
    timeout_seconds: seconds,
    ...(info.net === undefined || info.net === false ? {} : { net: info.net }),
  };
  return {
    kind: 'tool',
    id,
    title,
    needs: info.needs ?? (before === undefined ? [] : [before.id]),
    tool: 'shell',
    input,
    acceptance: info.accept ?? [],
    timeout_seconds: Math.min(LONGEST_SECONDS, seconds + GRACE_SECONDS),
    max_retries: 0,
    ...(task.mode === 'strict' ? { idempotency_key: `${id}.${hash('sha256', fence.code).slice(0, 16)}` } : {}),
    ...(info.fallback === undefined ? { on_error: 'fail' } : { on_error: 'fallback', fallback: info.fallback }),
  };
}

const PROGRAMS = { python: ['python3', '-c'], javascript: ['node', '-e'] } as const;

/** `set -e` stands on the first line, so that the line numbers in the shell's messages are those of the fence. */
function codeOf(language: Language, code: string): string {
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  return language === 'shell' && lines.length > 1 ? `set -e; ${code}` : code;
}

function problemsWith({ dir }: TaskFile): LineProblem[] {
  return dir === undefined || isBelow(dir) ? [] : [{ line: 1, problem: `dir "${dir}" does not lie below the desk` }];
}
