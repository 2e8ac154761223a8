/** Owns: what is wrong with a graph, all of it at once, before anything runs. */
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { leadsBack } from './plan.ts';
import { namesIn } from './template.ts';

/** `path` points into the graph file, such as nodes.3.needs.0 */
export type GraphProblem = { path: string; problem: string };

export type Surroundings = {
  /** Names of the tools there are; undefined = not known here, so not checked. */
  tools?: ReadonlySet<string>;
  graphs?: ReadonlySet<string>;
};

/** Leaves room for the number of an item in a node name of 80 characters. */
const LONGEST_MAP_NAME = 70;
const BUILT_IN_NAMES = new Set(['input', 'last', 'item']);

export function checkGraph(graph: Graph, around: Surroundings = {}): GraphProblem[] {
  const names = new Map(graph.nodes.map((node, index) => [node.id, index]));
  const ancestors = ancestorsOf(graph, names);
  return [
    ...duplicates(graph),
    ...itemNames(graph),
    ...unknownNames(graph, names),
    ...(ancestors === null
      ? cycle(graph, names)
      : [
          ...templates(graph, ancestors),
          ...edgesBack(graph, names, ancestors),
          ...unreachable(graph, names, ancestors),
        ]),
    ...graph.nodes.flatMap((node, index) => [
      ...toolProblems(node, `nodes.${index}`, around),
      ...bounds(graph, node, `nodes.${index}`),
    ]),
  ];
}

function duplicates(graph: Graph): GraphProblem[] {
  const seen = new Set<string>();
  return graph.nodes.flatMap((node, index) => {
    const twice = seen.has(node.id);
    seen.add(node.id);
    if (BUILT_IN_NAMES.has(node.id))
      return [
        {
          path: `nodes.${index}.id`,
          problem: `"${node.id}" has a meaning of its own in templates; choose another name`,
        },
      ];
    return twice ? [{ path: `nodes.${index}.id`, problem: `there are two nodes named "${node.id}"` }] : [];
  });
}

/** The items of a map are nodes named map__0, map__1, …: no other node may have such a name, and they must not be too long. */
function itemNames(graph: Graph): GraphProblem[] {
  const maps = new Set(graph.nodes.flatMap((node) => (node.kind === 'map' ? [node.id] : [])));
  return graph.nodes.flatMap((node, index) => {
    const [, map] = /^(.*)__\d+$/.exec(node.id) ?? [];
    if (map !== undefined && maps.has(map))
      return [{ path: `nodes.${index}.id`, problem: `"${node.id}" is the name of an item of the map "${map}"` }];
    return node.kind === 'map' && node.id.length > LONGEST_MAP_NAME
      ? [{ path: `nodes.${index}.id`, problem: `the name of a map has at most ${LONGEST_MAP_NAME} characters` }]
      : [];
  });
}

function unknownNames(graph: Graph, names: ReadonlyMap<string, number>): GraphProblem[] {
  const unknown = (path: string, id: string): GraphProblem[] =>
    names.has(id) ? [] : [{ path, problem: `there is no node "${id}"` }];
  return [
    ...graph.nodes.flatMap((node, index) =>
      node.needs.flatMap((need, at) => unknown(`nodes.${index}.needs.${at}`, need)),
    ),
    ...graph.edges.flatMap((edge, index) => [
      ...unknown(`edges.${index}.from`, edge.from),
      ...unknown(`edges.${index}.to`, edge.to),
    ]),
  ];
}

/** For each node every node that has surely been settled before it; null when there is a cycle. */
function ancestorsOf(
  graph: Graph,
  names: ReadonlyMap<string, number>,
): ReadonlyMap<string, ReadonlySet<string>> | null {
  const before = predecessors(graph, names);
  const order = settlingOrder(before);
  if (order.length < graph.nodes.length) return null;
  const wanted = namesWanted(graph, names);
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

/** Only names that some template or edge back asks for are carried along, so that large graphs stay cheap. */
function knownBefore(
  graph: Graph,
  sources: readonly number[],
  found: ReadonlyMap<string, ReadonlySet<string>>,
  wanted: ReadonlySet<string>,
): ReadonlySet<string> {
  const known = new Set<string>();
  for (const source of sources) {
    const id = idAt(graph, source);
    if (wanted.has(id)) known.add(id);
    for (const name of found.get(id) ?? []) known.add(name);
  }
  return known;
}

/** The names in a node's templates; asked for several times. */
const asked = new WeakMap<Node, readonly string[]>();

function namesAsked(node: Node): readonly string[] {
  const known = asked.get(node) ?? namesIn(templatesOf(node));
  asked.set(node, known);
  return known;
}

function namesWanted(graph: Graph, names: ReadonlyMap<string, number>): Set<string> {
  const inTemplates = graph.nodes.flatMap((node) => namesAsked(node).filter((name) => names.has(name)));
  return new Set([...inTemplates, ...graph.edges.filter(leadsBack).map((edge) => edge.to)]);
}

function predecessors(graph: Graph, names: ReadonlyMap<string, number>): number[][] {
  const before = graph.nodes.map((node) => new Set(node.needs.flatMap((need) => names.get(need) ?? [])));
  for (const edge of graph.edges) {
    const [from, to] = [names.get(edge.from), names.get(edge.to)];
    if (!leadsBack(edge) && from !== undefined && to !== undefined) before[to]?.add(from);
  }
  return before.map((sources) => [...sources]);
}

function cycle(graph: Graph, names: ReadonlyMap<string, number>): GraphProblem[] {
  const settled = new Set(settlingOrder(predecessors(graph, names)));
  const members = graph.nodes.filter((_, node) => !settled.has(node)).map(({ id }) => id);
  return [
    {
      path: 'nodes',
      problem: `these nodes wait for each other: ${members.slice(0, 10).join(', ')}. A way back is an edge with "max"`,
    },
  ];
}

function templates(graph: Graph, ancestors: ReadonlyMap<string, ReadonlySet<string>>): GraphProblem[] {
  return graph.nodes.flatMap((node, index) =>
    namesAsked(node).flatMap((name) => {
      if (name === 'input' || name === 'last' || (name === 'item' && node.kind === 'map')) return [];
      if (ancestors.get(node.id)?.has(name)) return [];
      return [
        {
          path: `nodes.${index}`,
          problem: `{{${name}}} asks for something that is not there when "${node.id}" starts`,
        },
      ];
    }),
  );
}

function edgesBack(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  ancestors: ReadonlyMap<string, ReadonlySet<string>>,
): GraphProblem[] {
  return graph.edges.flatMap((edge, index) => {
    if (!leadsBack(edge) || !names.has(edge.from) || !names.has(edge.to)) return [];
    if (edge.from !== edge.to && !ancestors.get(edge.from)?.has(edge.to))
      return [
        {
          path: `edges.${index}`,
          problem: `"max" marks a way back, but "${edge.to}" does not come before "${edge.from}"`,
        },
      ];
    return edge.when === undefined
      ? [{ path: `edges.${index}.when`, problem: 'a way back needs a condition, else it is always taken' }]
      : [];
  });
}

/** A node is never reached when it needs two branches that exclude each other. */
function unreachable(
  graph: Graph,
  names: ReadonlyMap<string, number>,
  order: ReadonlyMap<string, unknown>,
): GraphProblem[] {
  if (!graph.edges.some((edge) => edge.when !== undefined && !leadsBack(edge))) return [];
  const conditions = new Map<string, ReadonlyMap<string, string>>();
  const problems: GraphProblem[] = [];
  for (const id of order.keys()) {
    const all = conditionsOf(graph, graph.nodes[names.get(id) ?? -1], conditions);
    const merged = new Map(all);
    conditions.set(id, merged);
    const clash = all.find(([what, value]) => all.some(([other, another]) => other === what && another !== value));
    if (clash !== undefined)
      problems.push({
        path: `nodes.${names.get(id)}`,
        problem: `"${id}" is never reached: it needs branches of ${clash[0]} that exclude each other`,
      });
  }
  return problems;
}

/** What must hold of earlier outputs for a node to be reached, as pairs of node.field and value. */
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

function toolProblems(node: Node, path: string, around: Surroundings): GraphProblem[] {
  const { tools, graphs } = around;
  const problems: GraphProblem[] = [];
  const each = node.kind === 'map' ? toolProblems(node.each, `${path}.each`, around) : [];
  if (node.kind === 'tool' && node.tools !== undefined && !node.tools.includes(node.tool))
    problems.push({ path: `${path}.tool`, problem: `"${node.tool}" is not among the tools this node may call` });
  for (const name of node.kind === 'tool' ? [node.tool, ...(node.tools ?? [])] : (node.tools ?? [])) {
    if (tools !== undefined && !tools.has(name)) problems.push({ path, problem: `there is no tool "${name}"` });
  }
  if (node.kind === 'graph' && graphs !== undefined && !graphs.has(node.graph))
    problems.push({ path: `${path}.graph`, problem: `there is no graph "${node.graph}"` });
  if (node.on_error === 'fallback' && node.fallback === undefined)
    problems.push({ path: `${path}.fallback`, problem: 'on_error is fallback, but there is no fallback' });
  return [...problems, ...each];
}

/** strict asks for every bound, bounded for time and retries, flex for none. */
function bounds({ mode }: Pick<Graph, 'mode'>, node: Node, path: string): GraphProblem[] {
  if (node.kind === 'map') return bounds({ mode }, node.each, `${path}.each`);
  if (mode === 'flex' || (node.kind !== 'tool' && node.kind !== 'agent')) return [];
  const needed =
    mode === 'strict'
      ? (['timeout_seconds', 'max_retries', 'idempotency_key'] as const)
      : (['timeout_seconds', 'max_retries'] as const);
  return needed
    .filter((field) => node[field] === undefined)
    .map((field) => ({ path: `${path}.${field}`, problem: `mode ${mode} needs ${field}` }));
}

function templatesOf(node: Node): Json {
  const own: Json[] = [node.input ?? null, node.idempotency_key ?? null];
  if (node.kind === 'agent') own.push(node.goal);
  if (node.kind === 'map') own.push(node.over, templatesOf(node.each));
  return own;
}

function idAt(graph: Graph, node: number): string {
  return graph.nodes[node]?.id ?? '';
}
