/**
 * Owns: turning a graph of the Anton runtime into one of oka, and reporting exactly what could not be carried over. Pure.
 * Does not own: the format (anton-graph.ts), single nodes (import-node.ts), contracts of edges (import-contracts.ts).
 *
 * I1 An imported graph takes the same branches, writes the same state and has the same output.
 * I2 Nothing is dropped silently: what has no effect on the outcome is a note, what has one is a problem, and a graph
 *    with a problem must not be saved.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import { ID_SHAPE } from '../../../core/schema/id-shape.ts';
import { AntonGraph, AntonNode } from './anton-graph.ts';
import { bridgeEdge, reportMissingContracts } from './import-contracts.ts';
import { withLists } from './import-lists.ts';
import { importNode, isDecided } from './import-node.ts';
import { renameNodes } from './import-templates.ts';
import type {
  GraphImport,
  ImportedEdge,
  ImportedNode,
  Importing,
  ImportRemark,
  Route,
  ToolNames,
} from './importing.ts';

/** Anton ends a run after this many steps; here a loop has a bound of its own. */
const MOST_ROUNDS = 100;

export function importGraph(
  value: unknown,
  tools: ReadonlySet<string>,
  toolNames: ToolNames,
  inputOf: Importing['inputOf'] = () => undefined,
): GraphImport {
  const notes: ImportRemark[] = [];
  const source = parseGraph(withLists(value, (path, text) => void notes.push({ path, text })));
  const problems: ImportRemark[] = [];
  const importing: Importing = {
    source,
    mode: source.execution_defaults?.guarantee_mode ?? 'bounded',
    tools,
    toolNames,
    inputOf,
    note: (path, text) => void notes.push({ path, text }),
    problem: (path, text) => void problems.push({ path, text }),
  };
  reportUnknownFields(importing);
  reportMissingContracts(importing);
  const routes = routesOf(importing);
  const reached = reachedFrom(source.start, routes, importing);
  const nodes = source.nodes.filter(({ node_id }) => reached.has(node_id)).map((node) => importNode(node, importing));
  const edges: ImportedEdge[] = [];
  for (const route of routes) if (reached.has(route.from.node_id)) addRoute(route, nodes, edges, importing);
  const title = source.name ?? source.description;
  const graph = { id: graphName(importing), ...(title && { title }), mode: importing.mode, nodes, edges };
  return { graph: renameNodes(graph, importing), notes, problems };
}

function parseGraph(value: unknown): AntonGraph {
  const parsed = AntonGraph.safeParse(value);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `  ${path.join('.') || '(top)'}: ${message}`);
  throw new OkaError('invalid-graph', `this is not a graph of Anton:\n${lines.join('\n')}`, {
    fix: 'A graph of oka needs no import: save it in workspace/graphs, or run it by its file name.',
  });
}

function graphName({ source, note }: Importing): string {
  if (ID_SHAPE.test(source.id)) return source.id;
  const id =
    source.id
      .replaceAll(/[^\w.-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 100) || 'graph';
  note('id', `"${source.id}" cannot be the name of a file; the graph is called "${id}" here`);
  return id;
}

/** Every edge that a run may follow, in the order of the file. */
function routesOf({ source, note, problem }: Importing): Route[] {
  const byName = new Map(source.nodes.map((node) => [node.node_id, node]));
  return source.nodes.flatMap((node, index) => {
    if ('next' in node && Array.isArray(node.next) && node.next.length > 1)
      note(`nodes.${index}.next`, `only the first, "${node.next[0]}", is followed, as in Anton`);
    return targetsOf(node).flatMap(({ field, target, option }) => {
      const to = byName.get(target);
      if (to === undefined) problem(`nodes.${index}.${field}`, `there is no node "${target}"`);
      return to === undefined ? [] : [{ from: node, to, ...(option !== undefined && { option }) }];
    });
  });
}

function targetsOf(node: AntonNode): { field: string; target: string; option?: string }[] {
  if (node.type === 'end') return [];
  if (node.type !== 'condition') return [{ field: 'next', target: [node.next].flat()[0] ?? '' }];
  const yes = { field: 'if_true', target: node.if_true };
  const no = { field: 'if_false', target: node.if_false };
  if (node.strategy === 'typed_condition')
    return [
      { ...yes, option: 'true' },
      { ...no, option: 'false' },
    ];
  if (isDecided(node))
    return [
      { ...no, option: 'true' },
      { ...yes, option: 'false' },
    ];
  return (node.branch_options ?? []).map((option, index) => {
    const target = node.branch_targets?.[option];
    return { ...(target !== undefined ? { field: 'branch_targets', target } : index === 0 ? yes : no), option };
  });
}

/** A node that nothing leads to would start at once here; in Anton it never runs. */
function reachedFrom(start: string, routes: readonly Route[], { source, note, problem }: Importing): Set<string> {
  if (!source.nodes.some(({ node_id }) => node_id === start)) problem('start', `there is no node "${start}"`);
  const reached = new Set([start]);
  for (const each of reached) for (const { from, to } of routes) if (from.node_id === each) reached.add(to.node_id);
  source.nodes.forEach(({ node_id }, index) => {
    if (!reached.has(node_id)) note(`nodes.${index}`, `"${node_id}" is left out: nothing leads to it from the start`);
  });
  return reached;
}

/** Adds the edge of a route, and the nodes that must stand between its ends. */
function addRoute(route: Route, nodes: ImportedNode[], edges: ImportedEdge[], importing: Importing): void {
  const { from, to, option } = route;
  const between = bridgeEdge(route, importing);
  const isBack = leadsTo(to.node_id, from.node_id, edges) || to.node_id === from.node_id;
  const path = [from.node_id, ...between.map(({ id }) => id), to.node_id];
  nodes.push(...between);
  path.slice(1).forEach((target, index) =>
    edges.push({
      from: path[index] ?? '',
      to: target,
      ...(index === 0 && option !== undefined && { option }),
      ...(isBack && index === path.length - 2 && { max: roundsOf(importing.source) }),
    }),
  );
}

function leadsTo(from: string, to: string, edges: readonly ImportedEdge[]): boolean {
  const found = new Set([from]);
  for (const each of found)
    for (const edge of edges) if (edge.from === each && edge.max === undefined) found.add(edge.to);
  return found.has(to);
}

const roundsOf = ({ max_steps }: AntonGraph): number => Math.min(max_steps ?? MOST_ROUNDS, MOST_ROUNDS);

function reportUnknownFields({ source, note }: Importing): void {
  const report = (value: object, known: object, place: string): void => {
    for (const key of Object.keys(value)) if (!(key in known)) note(`${place}${key}`, 'is not known and is left out');
  };
  const { execution_defaults: defaults, state_access: access } = AntonGraph.shape;
  report(source, AntonGraph.shape, '');
  report(source.execution_defaults ?? {}, defaults.unwrap().shape, 'execution_defaults.');
  report(source.state_access ?? {}, access.unwrap().shape, 'state_access.');
  if (source.version !== undefined) note('version', 'is left out: the version of a graph is its hash here');
  source.nodes.forEach((node, index) => {
    const shape = AntonNode.options.find((option) => option.shape.type.value === node.type)?.shape ?? {};
    report(node, shape, `nodes.${index}.`);
  });
}
