/**
 * Owns: a procedure with values filled in, as a plan that can be run; or why that cannot be.
 * Does not own: whether the tools are there and take it (daemon), nor what may be done (guard).
 *
 * 1. Every value fits its parameter, and a command stays the command it was: same programs, same class.
 * 2. What may change is named by what could be a path, without stars.
 * 3. What people wrote into the steps is what they wrote: nothing is filled into an agent's goal.
 */
import { classify } from '../../guard/classify/classify-command.ts';
import type { Json } from '../../schema/json.ts';
import type { Parameter, Procedure } from '../../schema/procedure.ts';
import type { Planned } from '../../schema/task-run.ts';
import { rendered } from './explain.ts';
import { filledArgv, filledLine, type Problem } from './shell-hole.ts';
import { derivedFrom, misfitOf, type Values } from './values.ts';

export type Filled = Pick<Planned, 'criteria' | 'tools' | 'targets'> & { graph: Json; values: Values };

const NAMES = /\{\{(?:input\.)?([a-z][a-z0-9_]*)\}\}/g;
/** Two commands are compared, so that nothing depends on what is installed here. */
const SOMEWHERE = {
  desk: '/oka/workspace/desk',
  toolFolder: '/oka/.oka/tools',
  resolve: (program: string): string => `/usr/bin/${program}`,
};
const PATHS = new Set(['path', 'dir', 'from', 'to', 'file', 'folder']);

export function filledProcedure(procedure: Procedure, read: Values, today: string): Filled | Problem {
  const values = allValues(procedure, read, today);
  if (isProblem(values)) return values;
  const graph = filledGraph(procedure, values);
  if (isProblem(graph)) return graph;
  const criteria = each(procedure.criteria, ({ text, author }) => {
    const full = filledCriterion(text, values, procedure.parameters);
    return isProblem(full) ? full : { text: full.text, author };
  });
  if (isProblem(criteria)) return criteria;
  const targets = procedure.targets === null ? null : each(procedure.targets, (target) => filledTarget(target, values));
  if (isProblem(targets)) return targets;
  return { graph, criteria, targets: targets?.map(({ text }) => text) ?? null, tools: procedure.tools, values };
}

export const isProblem = (value: unknown): value is Problem =>
  value !== null && typeof value === 'object' && 'problem' in value && typeof value.problem === 'string';

/** Parameters that can be read from no task: with one, a procedure can only be shown to the planner. */
export function unreadable({ parameters, task }: Pick<Procedure, 'parameters' | 'task'>): string[] {
  const told = new Set([...task.matchAll(NAMES)].map((found) => found[1]));
  return parameters.filter(({ from, name }) => from === 'task' && !told.has(name)).map(({ name }) => name);
}

function allValues({ parameters }: Procedure, read: Values, today: string): Values | Problem {
  const values: Record<string, string> = {};
  const inOrder = parameters.toSorted((a, b) => Number(a.from !== 'task') - Number(b.from !== 'task'));
  for (const parameter of inOrder) {
    const { name, kind, from } = parameter;
    const value =
      from === 'task' ? (Object.hasOwn(read, name) ? read[name] : undefined) : derivedFrom(parameter, values, today);
    if (value === undefined || value === null) return { problem: `there is nothing for ${name}` };
    const misfit = misfitOf(value, kind);
    if (misfit !== null) return { problem: `${name} = "${value.slice(0, 60)}": ${misfit}` };
    values[name] = value;
  }
  return values;
}

type Fields = { [key: string]: Json };

function filledGraph({ graph, parameters }: Procedure, values: Values): Json | Problem {
  const { nodes = [], ...rest } = graph as Fields;
  const full = each(nodes as Fields[], (node) => filledNode(node, values, parameters));
  if (isProblem(full)) return full;
  return { ...(plainly(rest, values) as Fields), nodes: full };
}

function filledNode(node: Fields, values: Values, parameters: readonly Parameter[]): Fields | Problem {
  const { input = null, ...rest } = node;
  if (node['kind'] !== 'tool')
    return JSON.stringify(node).includes('{{') ? { problem: 'a step that is no call would be changed' } : node;
  const isShell = node['tool'] === 'shell';
  const full = isShell ? filledCommand(input as Fields, values, parameters) : filledInput(input, values, null);
  if (isProblem(full)) return full;
  const wanted = each((node['acceptance'] ?? []) as string[], (text) => filledCriterion(text, values, parameters));
  if (isProblem(wanted)) return wanted;
  const acceptance = wanted.map(({ text }) => text);
  return { ...(plainly(rest, values) as Fields), acceptance, ...('input' in node ? { input: full } : {}) };
}

function filledCommand(input: Fields, values: Values, parameters: readonly Parameter[]): Json | Problem {
  const { line, argv, ...rest } = input;
  const others = filledInput(rest, values, null);
  if (isProblem(others)) return others;
  const command = commandWith(line, argv, values);
  if (isProblem(command)) return command;
  const before = commandWith(line, argv, { ...examplesOf(parameters) });
  if (isProblem(before) || !isSameCommand(command, before)) return { problem: 'the command would become another one' };
  return { ...(others as Fields), ...command };
}

type Command = { line: string } | { argv: string[] };

function commandWith(line: Json | undefined, argv: Json | undefined, values: Values): Command | Problem {
  if (typeof line === 'string') return filledLine(line, values);
  return Array.isArray(argv) ? filledArgv(argv.map(String), values) : { problem: 'there is no command' };
}

function isSameCommand(a: Command, b: Command): boolean {
  const [one, other] = [classify(a, SOMEWHERE), classify(b, SOMEWHERE)];
  const told = ({ class: effect, programs, net, hosts }: typeof one): string =>
    JSON.stringify([effect, programs.toSorted(), net, hosts.length]);
  return told(one) === told(other);
}

const examplesOf = (parameters: readonly Parameter[]): Values =>
  Object.fromEntries(parameters.map(({ name, examples }) => [name, examples[0] ?? '']));

/** What a path names stays below the desk; a host stays the host it was. */
function filledInput(input: Json, values: Values, key: string | null): Json | Problem {
  if (typeof input === 'string') return filledText(input, values, key);
  if (Array.isArray(input)) return each(input, (item) => filledInput(item, values, key));
  if (input === null || typeof input !== 'object') return input;
  const full: Fields = {};
  for (const [name, value] of Object.entries(input)) {
    const filled = filledInput(value, values, name);
    if (isProblem(filled)) return filled;
    full[name] = filled;
  }
  return full;
}

function filledText(text: string, values: Values, key: string | null): Json | Problem {
  const full = rendered(text, values);
  if (full === text) return full;
  if (key !== null && PATHS.has(key)) {
    const misfit = misfitOf(full, 'path');
    if (misfit !== null) return { problem: `${key} "${full.slice(0, 60)}": ${misfit}` };
  }
  return key === 'url' ? filledAddress(text, full, values) : full;
}

/** A whole address was written by the person; a part of one is a plain part, behind the host. */
function filledAddress(text: string, full: string, values: Values): Json | Problem {
  const isWhole = /^\{\{input\.\w+\}\}$/.test(text);
  const hasHost = /^https?:\/\/[^/{}?#]+[/?#]/.test(text);
  const isPlain = [...text.matchAll(NAMES)].every((found) => /^[\w~-][\w.~-]*$/.test(values[found[1] ?? ''] ?? ''));
  const isFine = URL.canParse(full) && /^https?:/.test(full) && (isWhole || (hasHost && isPlain));
  return isFine ? full : { problem: `"${full.slice(0, 60)}" would be another address` };
}

/** A criterion stays of its kind: a command in it is filled like a command, and no text begins it. */
function filledCriterion(text: string, values: Values, parameters: readonly Parameter[]): { text: string } | Problem {
  const [, word = '', rest = ''] = /^(command:\s*)([\s\S]*)$/i.exec(text) ?? [];
  if (word !== '') {
    const filled = filledLine(
      rest.replaceAll(NAMES, (_, name: string) => `{{input.${name}}}`),
      values,
    );
    return 'problem' in filled ? filled : { text: `${word}${filled.line}` };
  }
  const kinds = new Map(parameters.map(({ name, kind }) => [name, kind]));
  for (const [, name = ''] of text.matchAll(NAMES))
    if (kinds.get(name) === 'text' && (text.startsWith('{{') || /[`"\\]/.test(values[name] ?? '')))
      return { problem: `"${(values[name] ?? '').slice(0, 60)}" could change what is looked at` };
  return { text: rendered(text, values) };
}

/** 2. */
function filledTarget(target: string, values: Values): { text: string } | Problem {
  const text = rendered(target, values);
  for (const [, name = ''] of target.matchAll(NAMES))
    if (misfitOf(values[name] ?? '', 'path') !== null)
      return { problem: `"${(values[name] ?? '').slice(0, 60)}" does not name what may change` };
  return text.startsWith('/') || text.split('/').includes('..')
    ? { problem: `"${text}" leads out of the desk` }
    : { text };
}

function plainly(value: Json, values: Values): Json {
  if (typeof value === 'string') return rendered(value, values);
  if (Array.isArray(value)) return value.map((item) => plainly(item, values));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainly(item, values)]));
}

/** All of them, or the first problem. */
function each<T, U>(items: readonly T[], fill: (item: T) => U | Problem): U[] | Problem {
  const full: U[] = [];
  for (const item of items) {
    const filled = fill(item);
    if (isProblem(filled)) return filled;
    full.push(filled);
  }
  return full;
}
