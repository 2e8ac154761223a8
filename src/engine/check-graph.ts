/** Owns: what is wrong with a graph, all of it at once, before anything runs. */
import { OkaError } from '../schema/errors.ts';
import type { Graph, Node } from '../schema/graph.ts';
import { conditionProblems } from './condition-problems.ts';
import { modeProblems } from './mode-rules.ts';
import { errorBranch } from './node-failure.ts';
import { templatesOf } from './graph-templates.ts';
import { leadsBack, withoutDuplicates } from './graph-plan.ts';
import { templateNames } from './template.ts';

/** `path` points into the graph file, such as nodes.3.needs.0 */
export type GraphProblem = {
  path: string;
  problem: string;
  /** Which rule it is against, such as references or types. */
  rule?: string;
  /** What to do about it, where that is clear. */
  fix?: string;
};

export type Surroundings = {
  /** Names of the tools there are; undefined = not known here, so not checked. */
  tools?: ReadonlySet<string>;
  graphs?: ReadonlySet<string>;
  /** Why a text cannot be the acceptance of a node, or null; undefined = not known here, so not checked. */
  acceptance?: (text: string) => string | null;
};

const MOST_PROBLEMS = 20;

/** Throws with what is wrong with a graph, if anything is. */
export function assertNoProblems(id: string, problems: readonly GraphProblem[]): void {
  if (problems.length === 0) return;
  const some = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ path, problem, fix }) => `  ${path}: ${problem}${fix === undefined ? '' : `\n    ${fix}`}`);
  const more = problems.length > MOST_PROBLEMS ? [`  and ${problems.length - MOST_PROBLEMS} more`] : [];
  throw new OkaError('invalid-graph', [`graph "${id}" cannot run:`, ...some, ...more].join('\n'), {
    fix: 'Correct these places of the graph, and run it again.',
  });
}

/** Leaves room for the number of an item in a node name of 80 characters. */
const LONGEST_MAP_NAME = 70;
const BUILT_IN_NAMES = new Set(['input', 'last', 'item']);

type Report = (path: string, problem: string, about?: Pick<GraphProblem, 'rule' | 'fix'>) => void;

export function checkGraph(graph: Graph, around: Surroundings = {}): GraphProblem[] {
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

/** For each node every node that has surely been settled before it; null when there is a cycle. */
function ancestorsOf(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> | null {
  const before = predecessors(graph, names);
  const order = settlingOrder(before);
  if (order.length < graph.nodes.length) return null;
  const found = new Map<string, ReadonlySet<string>>();
  for (const node of order) found.set(idAt(graph, node), knownBefore(graph, before[node] ?? [], found, wanted));
  return found;
}

/** The nodes in an order in which they can be settled; those in a cycle, or behind one, are missing. */
function settlingOrder(before: readonly (readonly number[])[]): number[] {
  const open = before.map((sources) => sources.length);
  const behind = before.map((): number[] => []);
  before.forEach((sources, node) => sources.forEach((source) => behind[source]?.push(node)));
  const order = open.flatMap((count, node) => (count === 0 ? [node] : []));
  for (const node of order)
    for (const next of behind[node] ?? []) {
      open[next] = (open[next] ?? 0) - 1;
      if (open[next] === 0) order.push(next);
    }
  return order;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Only names that some template or edge back asks for are carried along, so that large graphs stay cheap. */
function knownBefore(
  graph: Graph,
  sources: readonly number[],
  found: ReadonlyMap<string, ReadonlySet<string>>,
  wanted: ReadonlySet<string>,
): ReadonlySet<string> {
  if (wanted.size === 0) return NOTHING;
  const known = new Set<string>();
  for (const source of sources) {
    const id = idAt(graph, source);
    if (wanted.has(id)) known.add(id);
    for (const name of found.get(id) ?? []) known.add(name);
  }
  return known;
}

/** The nodes that templates and edges back ask for. */
function wantedOf(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  asked: readonly (readonly string[])[],
): Set<string> {
  const wanted = new Set<string>();
  for (const all of asked) for (const name of all) if (names.has(name)) wanted.add(name);
  for (const edge of graph.edges) if (leadsBack(edge)) wanted.add(edge.to);
  return wanted;
}

function predecessors(graph: Graph, names: ReadonlyMap<string, number>): number[][] {
  const before = graph.nodes.map(({ needs }) => needs.flatMap((need) => names.get(need) ?? []));
  for (const edge of graph.edges) {
    const [from, to] = [names.get(edge.from), names.get(edge.to)];
    if (!leadsBack(edge) && from !== undefined && to !== undefined) before[to]?.push(from);
  }
  return before.map(withoutDuplicates);
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

/** The place of a node in the file; turned into text only for what is reported. */
type Place = () => string;

function nodeProblems(node: Node, at: Place, around: Surroundings, report: Report): void {
  const { tools, graphs, acceptance } = around;
  const known = (name: string): void => {
    if (tools !== undefined && !tools.has(name)) report(at(), `there is no tool "${name}"`);
  };
  if (node.kind === 'tool' && node.tools !== undefined && !node.tools.includes(node.tool))
    report(`${at()}.tool`, `"${node.tool}" is not among the tools this node may call`);
  if (node.kind === 'tool') known(node.tool);
  node.tools?.forEach(known);
  if (node.kind === 'graph' && graphs !== undefined && !graphs.has(node.graph))
    report(`${at()}.graph`, `there is no graph "${node.graph}"`);
  node.acceptance.forEach((text, index) => {
    const problem = acceptance?.(text) ?? null;
    if (problem !== null) report(`${at()}.acceptance.${index}`, problem);
  });
  checkFailure(node, at, report);
  if (node.output_schema !== undefined && (node.kind === 'agent' || node.kind === 'graph' || node.kind === 'wait'))
    report(
      `${at()}.output_schema`,
      `the output of ${node.kind === 'agent' ? 'an' : 'a'} ${node.kind} node is not checked; put it on a transform behind it`,
    );
  if (node.input_schema !== undefined && (node.kind === 'map' || node.kind === 'wait'))
    report(`${at()}.input_schema`, `the input of a ${node.kind} node is not checked; put it on a transform before it`);
  if (node.kind === 'transform' && node.acceptance.length > 0)
    report(`${at()}.acceptance`, 'a transform makes nothing that could be checked');
  if (node.kind === 'typed_condition') checkCondition(node, at(), report);
  if (node.on_error === 'handle' && node.kind !== 'tool')
    report(`${at()}.on_error`, 'handle is for a node that calls a tool', {
      rule: 'on_error',
      fix: 'Use fallback or fail here.',
    });
  if (node.kind === 'map') nodeProblems(node.each, () => `${at()}.each`, around, report);
}

function checkFailure(node: Node, at: Place, report: Report): void {
  if (node.on_error === 'fallback' && node.fallback === undefined)
    report(`${at()}.fallback`, 'on_error is fallback, but there is no fallback', {
      rule: 'on_error',
      fix: 'Add "fallback" with the output to continue with.',
    });
  if (node.retry !== undefined && node.max_retries !== undefined)
    report(`${at()}.retry`, 'both retry and max_retries say how often it is tried again', {
      rule: 'retry',
      fix: 'Leave max_retries out; retry.times says the same.',
    });
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

function checkCondition(node: Extract<Node, { kind: 'typed_condition' }>, at: string, report: Report): void {
  for (const { path, problem, ...about } of conditionProblems(node, at)) report(path, problem, about);
  if (node.acceptance.length > 0)
    report(`${at}.acceptance`, 'a condition makes nothing that could be checked', { rule: 'condition' });
}

function idAt(graph: Graph, node: number): string {
  return graph.nodes[node]?.id ?? '';
}
