/** Owns: what is wrong with a graph, all of it at once, before anything runs. */
import type { Graph, Node } from '../schema/graph.ts';
import { modeProblems } from './mode-rules.ts';
import { errorBranch } from './node-failure.ts';
import { templatesOf } from './graph-templates.ts';
import { leadsBack } from './graph-plan.ts';
import { knownTypes } from './data-contract.ts';
import type { GraphProblem, Place, Report } from './graph-problem.ts';
import { nodeProblems, type Surroundings } from './node-problems.ts';
import { ancestorsOf, predecessors, settlingOrder, wantedOf } from './settling-order.ts';
import { templateNames } from './template.ts';

/** Leaves room for the number of an item in a node name of 80 characters. */
const LONGEST_MAP_NAME = 70;
const BUILT_IN_NAMES = new Set(['input', 'last', 'item']);

export function checkGraph(graph: Graph, given: Surroundings = {}): GraphProblem[] {
  const { outputs } = given;
  const around = outputs === undefined ? given : { ...given, types: knownTypes(graph, outputs) };
  const problems: GraphProblem[] = [];
  const report: Report = (path, problem, about) => void problems.push({ path, rule: 'structure', problem, ...about });
  const names = new Map(graph.nodes.map((node, index) => [node.id, index]));
  const asked = graph.nodes.map((node) => templateNames(templatesOf(node)));
  const ancestors = ancestorsOf(graph, names, wantedOf(graph, names, asked));
  checkOwnNames(graph, names, report);
  checkItemNames(graph, report);
  checkReferences(graph, names, report);
  checkErrorBranches(graph, report);
  checkTurnKey(graph, report);
  checkPins(graph, names, report);
  if (ancestors === null) reportCycle(graph, names, report);
  else {
    checkTemplates(graph, names, asked, ancestors, report);
    checkEdgesBack(graph, names, ancestors, report);
    checkReachable(graph, names, ancestors, report);
  }
  graph.nodes.forEach((node, index) => {
    const at: Place = () => `nodes.${index}`;
    nodeProblems(node, at, around, report);
    for (const { path, problem, ...about } of modeProblems(graph.mode, node, at)) report(path, problem, about);
  });
  return problems;
}

function checkOwnNames(graph: Graph, names: ReadonlyMap<string, number>, report: Report): void {
  const seen = names.size === graph.nodes.length ? null : new Set<string>();
  graph.nodes.forEach(({ id }, index) => {
    if (BUILT_IN_NAMES.has(id))
      report(`nodes.${index}.id`, `"${id}" has a meaning of its own in templates; choose another name`);
    else if (seen?.has(id)) report(`nodes.${index}.id`, `there are two nodes named "${id}"`);
    seen?.add(id);
  });
}

/** The items of a map are nodes named map__0, map__1, …: no other node may have such a name, and they must not be too long. */
function checkItemNames(graph: Graph, report: Report): void {
  const maps = new Set(graph.nodes.flatMap((node) => (node.kind === 'map' ? [node.id] : [])));
  if (maps.size === 0) return;
  graph.nodes.forEach(({ id, kind }, index) => {
    const [, map] = /^(.*)__\d+$/.exec(id) ?? [];
    if (map !== undefined && maps.has(map))
      report(`nodes.${index}.id`, `"${id}" is the name of an item of the map "${map}"`);
    else if (kind === 'map' && id.length > LONGEST_MAP_NAME)
      report(`nodes.${index}.id`, `the name of a map has at most ${LONGEST_MAP_NAME} characters`);
  });
}

/** Which runs take turns is known before anything runs. */
function checkTurnKey({ key = '' }: Graph, report: Report): void {
  const other = templateNames(key).find((name) => name !== 'input');
  if (other !== undefined)
    report('key', `{{${other}}} is not known when a run begins; only {{input}} and its fields can be in the key`);
}

function checkPins({ mode, pins = {} }: Graph, names: ReadonlyMap<string, number>, report: Report): void {
  for (const id of Object.keys(pins))
    if (!names.has(id)) report(`pins.${id}`, `there is no node "${id}"`, { rule: 'references' });
    else if (mode === 'strict')
      report(`pins.${id}`, 'a strict graph runs all of its nodes, and takes no pinned output', {
        rule: 'strict',
        fix: 'Remove the pin: oka graph pin <graph> <node> --remove',
      });
}

function checkReferences(graph: Graph, names: ReadonlyMap<string, number>, report: Report): void {
  const checkName = (id: string, path: () => string): void => {
    if (!names.has(id)) report(path(), `there is no node "${id}"`);
  };
  graph.nodes.forEach(({ needs }, index) =>
    needs.forEach((need, at) => checkName(need, () => `nodes.${index}.needs.${at}`)),
  );
  graph.edges.forEach(({ from, to }, index) => {
    checkName(from, () => `edges.${index}.from`);
    checkName(to, () => `edges.${index}.to`);
  });
}

function reportCycle(graph: Graph, names: ReadonlyMap<string, number>, report: Report): void {
  const settled = new Set(settlingOrder(predecessors(graph, names)));
  const members = graph.nodes.filter((_, node) => !settled.has(node)).map(({ id }) => id);
  const some = members.slice(0, 10).join(', ');
  report('nodes', `these nodes wait for each other: ${some}. An edge back needs "max"`);
}

function checkTemplates(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  asked: readonly (readonly string[])[],
  ancestors: ReadonlyMap<string, ReadonlySet<string>>,
  report: Report,
): void {
  graph.nodes.forEach((node, index) => {
    for (const name of asked[index] ?? []) {
      if (name === 'input' || name === 'last' || (name === 'item' && node.kind === 'map')) continue;
      if (name === 'date' && !names.has(name)) continue;
      if (!ancestors.get(node.id)?.has(name))
        report(`nodes.${index}`, `{{${name}}} asks for something that is not there when "${node.id}" starts`, {
          fix: names.has(name) ? `Add "${name}" to its needs.` : `There is no node "${name}".`,
        });
    }
  });
}

function checkEdgesBack(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  ancestors: ReadonlyMap<string, ReadonlySet<string>>,
  report: Report,
): void {
  graph.edges.forEach((edge, index) => {
    if (!leadsBack(edge) || !names.has(edge.from) || !names.has(edge.to)) return;
    if (edge.from !== edge.to && !ancestors.get(edge.from)?.has(edge.to))
      report(`edges.${index}`, `"max" marks an edge back, but "${edge.to}" does not come before "${edge.from}"`);
    else if (edge.when === undefined)
      report(`edges.${index}.when`, 'an edge back needs a condition, otherwise it is always taken');
  });
}

/** A node is never reached when it needs two branches that exclude each other. */
function checkReachable(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  order: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  if (!graph.edges.some((edge) => edge.when !== undefined && !leadsBack(edge))) return;
  const conditions = new Map<string, ReadonlyMap<string, string>>();
  for (const id of order.keys()) {
    const all = conditionsOf(graph, graph.nodes[names.get(id) ?? -1], conditions);
    conditions.set(id, new Map(all));
    const clash = all.find(([what, value]) => all.some(([other, another]) => other === what && another !== value));
    if (clash !== undefined)
      report(
        `nodes.${names.get(id)}`,
        `"${id}" is never reached: it needs branches of ${clash[0]} that exclude each other`,
      );
  }
}

/** What must be true of earlier outputs for a node to be reached, as pairs of node.field and value. */
function conditionsOf(
  graph: Graph,
  node: Node | undefined,
  known: ReadonlyMap<string, ReadonlyMap<string, string>>,
): [string, string][] {
  if (node === undefined) return [];
  const edges = graph.edges.filter((edge) => edge.to === node.id && !leadsBack(edge));
  const [only] = edges.length === 1 ? edges : [];
  const own: [string, string][] =
    only?.when === undefined ? [] : [[`${only.from}.${only.when.field}`, JSON.stringify(only.when.equals)]];
  const sources = [...node.needs, ...(only === undefined ? [] : [only.from])];
  return [...sources.flatMap((source) => [...(known.get(source) ?? [])]), ...own];
}

/** The failure of a node that names a branch leads there by an edge; an item of a map has no edges. */
function checkErrorBranches(graph: Graph, report: Report): void {
  const followed = new Set(graph.edges.flatMap(({ from, failed }) => (failed === true ? [from] : [])));
  graph.nodes.forEach((node, index) => {
    const target = errorBranch(node);
    const each = node.kind === 'map' ? errorBranch(node.each) : null;
    if (target !== null && !followed.has(node.id))
      report(`nodes.${index}.on_error`, `no edge leads to "${target}" when "${node.id}" fails`, { rule: 'on_error' });
    if (each !== null)
      report(`nodes.${index}.each.on_error`, 'the step of a map cannot branch', {
        rule: 'on_error',
        fix: 'Use continue or fallback, or let the map run a graph of its own.',
      });
  });
  graph.edges.forEach((edge, index) => {
    if (edge.failed === true && errorBranch(graph.nodes.find(({ id }) => id === edge.from)) === null)
      report(`edges.${index}.failed`, `"${edge.from}" does not branch when it fails`, {
        rule: 'on_error',
        fix: `Write on_error: "branch:${edge.to}" at "${edge.from}" instead.`,
      });
  });
}
