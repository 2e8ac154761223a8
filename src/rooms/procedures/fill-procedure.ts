/**
 * Owns: filling a procedure with values, which gives a plan that can be run or the reason why not.
 * Does not own: whether the tools exist and accept the input (rooms/task), nor what is allowed (guard).
 *
 * 1. Every value fits its parameter, and a command keeps its programs and its class.
 * 2. Targets are named by plain paths without wildcards.
 * 3. Nothing is filled into the goal of an agent step.
 */
import { classify } from '../../core/guard/classify/classify-command.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Parameter, Procedure } from '../../core/schema/procedure.ts';
import { fillTemplate } from './text-template.ts';
import { fillArgv, fillCommandLine, type Problem } from './fill-command.ts';
import type { FilledProcedure } from '../../kit/ports/procedures-port.ts';
import { deriveValue, findMisfit, type Values } from './parameter-values.ts';

const HOLES = /\{\{(?:input\.)?([a-z][a-z0-9_]*)\}\}/g;
/** Commands are only compared with each other, so the result must not depend on what is installed here. */
const NEUTRAL_SCENE = {
  desk: '/oka/workspace/desk',
  toolFolder: '/oka/.oka/tools',
  resolve: (program: string): string => `/usr/bin/${program}`,
};
const PATH_KEYS = new Set(['path', 'dir', 'from', 'to', 'file', 'folder']);

export function fillProcedure(procedure: Procedure, read: Values, today: string): FilledProcedure | Problem {
  const values = collectValues(procedure, read, today);
  if (isProblem(values)) return values;
  const graph = fillGraph(procedure, values);
  if (isProblem(graph)) return graph;
  const criteria = mapOrProblem(procedure.criteria, ({ text, author }) => {
    const full = fillCriterion(text, values, procedure.parameters);
    return isProblem(full) ? full : { text: full.text, author };
  });
  if (isProblem(criteria)) return criteria;
  const targets =
    procedure.targets === null ? null : mapOrProblem(procedure.targets, (target) => fillTarget(target, values));
  if (isProblem(targets)) return targets;
  return { graph, criteria, targets: targets?.map(({ text }) => text) ?? null, tools: procedure.tools, values };
}

export const isProblem = (value: unknown): value is Problem =>
  value !== null && typeof value === 'object' && 'problem' in value && typeof value.problem === 'string';

/** Parameters that no task states. A procedure that has one can only be shown to the planner. */
export function unreadableParameters({ parameters, task }: Pick<Procedure, 'parameters' | 'task'>): string[] {
  const stated = new Set([...task.matchAll(HOLES)].map((found) => found[1]));
  return parameters.filter(({ from, name }) => from === 'task' && !stated.has(name)).map(({ name }) => name);
}

function collectValues({ parameters }: Procedure, read: Values, today: string): Values | Problem {
  const values: Record<string, string> = {};
  const inOrder = parameters.toSorted((a, b) => Number(a.from !== 'task') - Number(b.from !== 'task'));
  for (const parameter of inOrder) {
    const { name, kind, from } = parameter;
    const value =
      from === 'task' ? (Object.hasOwn(read, name) ? read[name] : undefined) : deriveValue(parameter, values, today);
    if (value === undefined || value === null) return { problem: `there is nothing for ${name}` };
    const misfit = findMisfit(value, kind);
    if (misfit !== null) return { problem: `${name} = "${value.slice(0, 60)}": ${misfit}` };
    values[name] = value;
  }
  return values;
}

type Fields = { [key: string]: Json };

function fillGraph({ graph, parameters }: Procedure, values: Values): Json | Problem {
  const { nodes = [], ...rest } = graph as Fields;
  const full = mapOrProblem(nodes as Fields[], (node) => fillNode(node, values, parameters));
  if (isProblem(full)) return full;
  return { ...(fillEveryText(rest, values) as Fields), nodes: full };
}

function fillNode(node: Fields, values: Values, parameters: readonly Parameter[]): Fields | Problem {
  const { input = null, ...rest } = node;
  if (node['kind'] !== 'tool')
    return JSON.stringify(node).includes('{{') ? { problem: 'a step that is no call would be changed' } : node;
  const isShell = node['tool'] === 'shell';
  const full = isShell ? fillCommandInput(input as Fields, values, parameters) : fillInput(input, values, null);
  if (isProblem(full)) return full;
  const wanted = mapOrProblem((node['acceptance'] ?? []) as string[], (text) =>
    fillCriterion(text, values, parameters),
  );
  if (isProblem(wanted)) return wanted;
  const acceptance = wanted.map(({ text }) => text);
  return { ...(fillEveryText(rest, values) as Fields), acceptance, ...('input' in node ? { input: full } : {}) };
}

function fillCommandInput(input: Fields, values: Values, parameters: readonly Parameter[]): Json | Problem {
  const { line, argv, ...rest } = input;
  const others = fillInput(rest, values, null);
  if (isProblem(others)) return others;
  const command = fillCommand(line, argv, values);
  if (isProblem(command)) return command;
  const before = fillCommand(line, argv, { ...exampleValues(parameters) });
  if (isProblem(before) || !isSameCommand(command, before)) return { problem: 'the command would become another one' };
  return { ...(others as Fields), ...command };
}

type Command = { line: string } | { argv: string[] };

function fillCommand(line: Json | undefined, argv: Json | undefined, values: Values): Command | Problem {
  if (typeof line === 'string') return fillCommandLine(line, values);
  return Array.isArray(argv) ? fillArgv(argv.map(String), values) : { problem: 'there is no command' };
}

function isSameCommand(a: Command, b: Command): boolean {
  const [one, other] = [classify(a, NEUTRAL_SCENE), classify(b, NEUTRAL_SCENE)];
  const summary = ({ class: effect, programs, net, hosts }: typeof one): string =>
    JSON.stringify([effect, programs.toSorted(), net, hosts.length]);
  return summary(one) === summary(other);
}

const exampleValues = (parameters: readonly Parameter[]): Values =>
  Object.fromEntries(parameters.map(({ name, examples }) => [name, examples[0] ?? '']));

/** A path stays below the desk, and a URL keeps its host. */
function fillInput(input: Json, values: Values, key: string | null): Json | Problem {
  if (typeof input === 'string') return fillText(input, values, key);
  if (Array.isArray(input)) return mapOrProblem(input, (item) => fillInput(item, values, key));
  if (input === null || typeof input !== 'object') return input;
  const full: Fields = {};
  for (const [name, value] of Object.entries(input)) {
    const filled = fillInput(value, values, name);
    if (isProblem(filled)) return filled;
    full[name] = filled;
  }
  return full;
}

function fillText(text: string, values: Values, key: string | null): Json | Problem {
  const full = fillTemplate(text, values);
  if (full === text) return full;
  if (key !== null && PATH_KEYS.has(key)) {
    const misfit = findMisfit(full, 'path');
    if (misfit !== null) return { problem: `${key} "${full.slice(0, 60)}": ${misfit}` };
  }
  return key === 'url' ? fillUrl(text, full, values) : full;
}

/** A value may be a complete URL that the person wrote, or a plain part of one after the host. */
function fillUrl(text: string, full: string, values: Values): Json | Problem {
  const isWhole = /^\{\{input\.\w+\}\}$/.test(text);
  const hasHost = /^https?:\/\/[^/{}?#]+[/?#]/.test(text);
  const isPlain = [...text.matchAll(HOLES)].every((found) => /^[\w~-][\w.~-]*$/.test(values[found[1] ?? ''] ?? ''));
  const isFine = URL.canParse(full) && /^https?:/.test(full) && (isWhole || (hasHost && isPlain));
  return isFine ? full : { problem: `"${full.slice(0, 60)}" would be another address` };
}

/** A criterion keeps its kind: a command is filled like a command, and free text never comes first. */
function fillCriterion(text: string, values: Values, parameters: readonly Parameter[]): { text: string } | Problem {
  const [, word = '', rest = ''] = /^(command:\s*)([\s\S]*)$/i.exec(text) ?? [];
  if (word !== '') {
    const filled = fillCommandLine(
      rest.replaceAll(HOLES, (_, name: string) => `{{input.${name}}}`),
      values,
    );
    return 'problem' in filled ? filled : { text: `${word}${filled.line}` };
  }
  const kinds = new Map(parameters.map(({ name, kind }) => [name, kind]));
  for (const [, name = ''] of text.matchAll(HOLES))
    if (kinds.get(name) === 'text' && (text.startsWith('{{') || /[`"\\]/.test(values[name] ?? '')))
      return { problem: `"${(values[name] ?? '').slice(0, 60)}" could change what is checked` };
  return { text: fillTemplate(text, values) };
}

/** Refuses a target that is not a plain path below the desk (2). */
function fillTarget(target: string, values: Values): { text: string } | Problem {
  const text = fillTemplate(target, values);
  for (const [, name = ''] of target.matchAll(HOLES))
    if (findMisfit(values[name] ?? '', 'path') !== null)
      return { problem: `"${(values[name] ?? '').slice(0, 60)}" does not name what may change` };
  return text.startsWith('/') || text.split('/').includes('..')
    ? { problem: `"${text}" leads out of the desk` }
    : { text };
}

function fillEveryText(value: Json, values: Values): Json {
  if (typeof value === 'string') return fillTemplate(value, values);
  if (Array.isArray(value)) return value.map((item) => fillEveryText(item, values));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillEveryText(item, values)]));
}

/** Maps every item, or returns the first problem. */
function mapOrProblem<T, U>(items: readonly T[], fill: (item: T) => U | Problem): U[] | Problem {
  const full: U[] = [];
  for (const item of items) {
    const filled = fill(item);
    if (isProblem(filled)) return filled;
    full.push(filled);
  }
  return full;
}
