/**
 * Owns: the planner that needs no model. Fences of a task become the steps of a graph, in order.
 *
 * R1 Only what the operator fenced as bash, sh, shell, python or JavaScript runs, and only in a task that is a runbook
 *    (task-kind.ts); every other fence is text.
 * R2 The code of a step is exactly the code of its fence: it is not a template, and nothing ambiguous is guessed.
 * R3 In a shell block of several lines, each line has to succeed.
 * R4 All problems are reported at once, each with its line.
 * R5 What its text demands besides ("save it as fixed.py") is a criterion, too.
 */
import { hash } from 'node:crypto';
import { checkGraph } from '../../core/engine/check-graph.ts';
import { Graph, type Node } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import type { TaskFile } from '../../core/schema/task-file.ts';
import { parseBlocks, type LineProblem } from '../text/markdown-blocks.ts';
import { findCriteria, type Criterion, EVERY_STEP } from './criteria.ts';
import { isRelativeInside } from '../text/glob.ts';
import { fileDemands } from './asked-files.ts';
import { taskKind } from './task-kind.ts';
import { documentStepInput } from './document-step.ts';
import { inputWithLiterals, type Literals, asLiteral } from '../text/literals.ts';
import { type Language, findStepProblems, type Step, findSteps } from './runbook-steps.ts';

export type Runbook = {
  kind: 'runbook';
  graph: Graph;
  /** The input that the graph has to be started with. */
  input: Json;
  criteria: Criterion[];
  author: 'operator';
  /** Why it is one. */
  why: string;
  steps: { id: string; title: string; line: number; language: Language }[];
};

type RunbookProblems = { kind: 'problems'; problems: LineProblem[] };

/** A task that could be a runbook as well as prose. */
type UnclearTask = { kind: 'unclear'; why: string };

type RunbookOptions = {
  /** Name of the graph when the task has no id. */
  name?: string;
  /** Line of the file where the body begins. */
  firstLine?: number;
};

const TIMEOUT_SECONDS = 600;
const MAX_SECONDS = 86_400;
/** The tool stops the command itself; the node's own limit is a little later, in case that fails. */
const GRACE_SECONDS = 15;

/** Null when the task is prose, as every task is that an agent has started. */
export function parseRunbook(
  body: string,
  task: TaskFile,
  options: RunbookOptions = {},
): Runbook | RunbookProblems | UnclearTask | null {
  if (task.from_chat !== undefined) return null;
  const { blocks, problems: shape } = parseBlocks(body, options.firstLine);
  const { criteria, problems: unclear, taken } = findCriteria(blocks, task.accept ?? []);
  const { kind, why } = taskKind(blocks, taken, task);
  const { steps, problems: wrong } = kind === 'runbook' ? findSteps(blocks, taken) : { steps: [], problems: [] };
  const problems = [...shape, ...wrong, ...unclear, ...findStepProblems(steps), ...findTaskProblems(task)];
  if (problems.length > 0) return { kind: 'problems', problems: problems.toSorted((a, b) => a.line - b.line) };
  if (kind === 'unclear') return { kind, why };
  return steps.length === 0 ? null : buildRunbook({ steps, criteria: withDemands(criteria, body), why }, task, options);
}

/** The criteria of a runbook, with the files that its text asks for and no criterion mentions (R5). */
function withDemands(given: readonly Criterion[], body: string): Criterion[] {
  const criteria = given.length > 0 ? given : [EVERY_STEP];
  return [...criteria, ...fileDemands(body, criteria)];
}

/** The criteria of a task without steps of its own; the planner receives them. An agent's are those of a model. */
export function readTaskCriteria(body: string, task: TaskFile): { criteria: Criterion[]; problems: LineProblem[] } {
  const isOfAgent = task.from_chat !== undefined;
  const { criteria, problems } = findCriteria(isOfAgent ? [] : parseBlocks(body).blocks, task.accept ?? []);
  return { criteria: isOfAgent ? criteria.map((each) => ({ ...each, author: 'model' })) : criteria, problems };
}

function buildRunbook(
  { steps, criteria, why }: { steps: readonly Step[]; criteria: Criterion[]; why: string },
  task: TaskFile,
  options: RunbookOptions,
): Runbook | RunbookProblems {
  const literals: Literals = new Map();
  const mode = task.mode ?? 'bounded';
  const nodes = steps.map((step, index) => toStepNode(step, steps[index - 1], { ...task, mode }, literals));
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
    input: inputWithLiterals(literals),
    criteria,
    author: 'operator',
    why,
    steps: steps.map(({ id, title, fence, language }) => ({ id, title, line: fence.line, language })),
  };
}

function toStepNode(
  { id, title, fence, info, language }: Step,
  before: Step | undefined,
  task: TaskFile,
  literals: Literals,
): Node {
  const seconds = info.timeoutSeconds ?? TIMEOUT_SECONDS;
  const dir = [task.dir, info.dir].filter((part) => part !== undefined && part !== '').join('/');
  const document = language === 'shell' ? documentStepInput(fence.code, dir) : null;
  const input = document === null ? commandInput({ id, fence, info, language }, dir, seconds, literals) : document;
  return {
    kind: 'tool',
    id,
    title,
    needs: info.needs ?? (before === undefined ? [] : [before.id]),
    tool: document === null ? 'shell' : 'files.read',
    input,
    acceptance: info.accept ?? [],
    timeout_seconds: Math.min(MAX_SECONDS, seconds + GRACE_SECONDS),
    max_retries: 0,
    ...(task.mode === 'strict' ? { idempotency_key: `${id}.${hash('sha256', fence.code).slice(0, 16)}` } : {}),
    ...(info.fallback === undefined ? { on_error: 'fail' } : { on_error: 'fallback', fallback: info.fallback }),
  };
}

function commandInput(
  { id, fence, info, language }: Pick<Step, 'id' | 'fence' | 'info' | 'language'>,
  dir: string,
  seconds: number,
  literals: Literals,
): Json {
  const code = asLiteral(literals, id, 'code', stepCode(language, fence.code));
  return {
    ...(language === 'shell' ? { line: code } : { argv: [...PROGRAMS[language], code] }),
    ...(dir === '' ? {} : { dir }),
    timeout_seconds: seconds,
    ...(info.net === undefined || info.net === false ? {} : { net: info.net }),
    ...(info.netRefused === undefined ? {} : { net_refused: info.netRefused }),
    ...(info.key === undefined ? {} : { key: info.key }),
    ...(info.secrets === undefined ? {} : { secrets: variablesOf(info.secrets) }),
  };
}

const variablesOf = (secrets: readonly string[]): Json =>
  Object.fromEntries(secrets.map((name) => [name, { from: `secret:${name}`, as: 'env' }]));

const PROGRAMS = { python: ['python3', '-c'], javascript: ['node', '-e'] } as const;

/** `set -e` is put on the first line, so that line numbers in the shell's messages are those of the fence. */
function stepCode(language: Language, code: string): string {
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  return language === 'shell' && lines.length > 1 ? `set -e; ${code}` : code;
}

function findTaskProblems({ dir }: TaskFile): LineProblem[] {
  return dir === undefined || isRelativeInside(dir)
    ? []
    : [{ line: 1, problem: `dir "${dir}" is not inside the desk` }];
}
