/**
 * Owns: lowering, the one step in which node kinds of people become instructions of the engine. It happens when a graph
 * is read: what is checked, stored, run, replayed and explained are instructions only, so that a run can be replayed
 * when its kinds have changed or gone.
 * Does not own: the kinds (rooms contribute them), the instructions (decide.ts).
 *
 * N1 The last instruction of a node has its id; nodes behind it, edges from it and templates refer to that one.
 * N2 The instructions that need none of the others get what the node needs, and the edges that lead to it.
 * N3 What a person set for the node counts: bounds for all its instructions, the rest for the last.
 * N4 Problems are reported with the place in what the person wrote.
 * N5 The step of a map may be of a contributed kind if that becomes one instruction.
 * N6 Branches that people name become edges with a condition (branch-edges.ts).
 * N8 What a person answers in free text is compared without case and space (free-text.ts).
 * N7 A node whose templates ask for state gets an instruction before it that reads the values (state-templates.ts).
 */
import { OkaError } from '../schema/errors.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import { fieldAt } from './template.ts';
import { commonFields, type Graph, instructionNodes, Node } from '../schema/graph.ts';
import { isJson, type Json } from '../schema/json.ts';
import {
  graphSchemaWith,
  type KindNode,
  type LoweredPlace,
  type NodeKind,
  type SourceGraph,
  partId,
} from '../schema/node-kind.ts';
import { branchProblems, edgesOf, hasBranches, withoutBranches } from './branch-edges.ts';
import { checkGraph } from './check-graph.ts';
import type { GraphProblem } from './graph-problem.ts';
import type { Surroundings } from './node-problems.ts';
import { kindProblems } from './kind-problems.ts';
import { foldFreeText } from './free-text.ts';
import { addStateReads } from './state-templates.ts';

type Lowered = {
  graph: Graph;
  /** What is wrong with the graph, with places in what was written. */
  problems: (around?: Surroundings) => GraphProblem[];
  /** Those of them that can no longer be seen in the lowered graph, and so are not found when a run starts. */
  sourceProblems: () => GraphProblem[];
};

/** Parses and lowers a graph, or throws with every field that is wrong; `name` is what to call it then. */
export function readGraph(value: unknown, kinds: readonly NodeKind[] = [], name = 'this'): Lowered {
  if (!isJson(value)) throw new OkaError('invalid-graph', `${name} is not plain JSON, or is nested too deeply`);
  const parsed = graphSchemaWith(kinds).safeParse(value);
  if (parsed.success) return lowerGraph(parsed.data, kinds);
  const problems = parsed.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || '(top)'}: ${unknownKind(value, path.map(String), kinds) ?? message}`,
  );
  throw new OkaError('invalid-graph', `${name} is not a graph:\n${problems.join('\n')}`, {
    fix: 'See what is possible: oka schema graph',
  });
}

/** What to say about a node of a kind that there is not; null for any other problem. */
function unknownKind(value: Json, path: readonly string[], kinds: readonly NodeKind[]): string | null {
  const given = path.at(-1) === 'kind' ? fieldAt(value, path) : undefined;
  if (typeof given !== 'string') return null;
  const names = [...instructionNodes.map(({ shape }) => shape.kind.value as string), ...kinds.map(({ kind }) => kind)];
  const guess = nearestWord(given, names);
  const meant = guess === null ? '' : ` Did you mean "${guess}"?`;
  return `there is no kind of node "${given}".${meant} There are: ${names.toSorted().join(', ')}`;
}

/** The graph must have passed graphSchemaWith(kinds). */
function lowerGraph(source: SourceGraph, kinds: readonly NodeKind[]): Lowered {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const isContributed = (node: { kind: string } | undefined): boolean => byName.has(node?.kind ?? '');
  if (!hasBranches(source) && !source.nodes.some((node) => isContributed(node) || isContributed(eachOf(node))))
    return asWritten(source as Graph, () => branchProblems(source, byName));
  const parts = source.nodes.map(withoutBranches).map((node) => {
    const kind = byName.get(node.kind);
    if (kind !== undefined) return instructionsOf(kind, node as KindNode, source, { isItem: false });
    const each = eachOf(node);
    const kindOfEach = byName.get(each?.kind ?? '');
    return [kindOfEach === undefined ? (node as Node) : lowerMap(kindOfEach, node, each as KindNode, source)];
  });
  const entries = new Map(source.nodes.map(({ id }, index) => [id, entriesOf(parts[index] ?? [])]));
  const edges = edgesOf(source).flatMap(({ edge, place }) =>
    (entries.get(edge.to) ?? [edge.to]).map((to) => ({ place, edge: { ...edge, to } })),
  );
  const written: Graph = { ...source, nodes: parts.flat(), edges: edges.map(({ edge }) => edge) };
  const graph = addStateReads(foldFreeText(written));
  const places: Places = {
    nodes: parts.flatMap((nodes, place) => nodes.map(() => place)),
    edges: edges.map(({ place }) => place),
    isLowered: (place) => isContributed(source.nodes[place]),
    isEachLowered: (place) => isContributed(eachOf(source.nodes[place])),
  };
  const sourceProblems = (): GraphProblem[] => [...branchProblems(source, byName), ...kindProblems(source, byName)];
  return {
    graph,
    sourceProblems,
    problems: (around) => [
      ...sourceProblems(),
      ...problemsOf(graph, written, around).map((problem) => ({
        ...problem,
        path: toWrittenPath(problem.path, places),
      })),
    ],
  };
}

function asWritten(written: Graph, sourceProblems: () => GraphProblem[]): Lowered {
  const graph = addStateReads(foldFreeText(written));
  return {
    graph,
    sourceProblems,
    problems: (around) => [...sourceProblems(), ...problemsOf(graph, written, around)],
  };
}

/** What was added to the written graph has the problems of the nodes it was added for, which are reported there. */
function problemsOf(graph: Graph, written: Graph, around?: Surroundings): GraphProblem[] {
  const problems = checkGraph(graph, around);
  if (graph === written) return problems;
  return problems.filter(({ path }) => {
    const [list, index = '0'] = path.split('.');
    return Number(index) < (list === 'nodes' ? written.nodes.length : list === 'edges' ? written.edges.length : 1);
  });
}

const eachOf = (node: Node | KindNode | undefined): { kind: string } | undefined =>
  node?.kind === 'map' ? (node as Extract<Node, { kind: 'map' }>).each : undefined;

/** An item of a map is one instruction (N5). */
function lowerMap(kind: NodeKind, map: Node | KindNode, each: KindNode, graph: SourceGraph): Node {
  const lowered = instructionsOf(kind, each, graph, { isItem: true });
  const [only] = lowered;
  if (lowered.length !== 1 || only === undefined || only.kind === 'map' || only.kind === 'wait')
    throw new OkaError('invalid-graph', `"${map.id}": a "${kind.kind}" cannot be the step of a map`, {
      fix: 'Put it into a graph of its own, and let the map run that graph.',
    });
  return Node.parse({ ...map, each: only });
}

/** What one node becomes (N1 to N3). */
function instructionsOf(kind: NodeKind, node: KindNode, graph: SourceGraph, place: LoweredPlace): Node[] {
  const lowered = kind.lower(node, graph, place);
  const names = new Set(lowered.map(({ id }) => id));
  if (lowered.at(-1)?.id !== node.id || names.size !== lowered.length)
    throw new OkaError(
      'invalid-graph',
      `the node kind "${kind.kind}" lowers "${node.id}" to instructions with wrong names`,
      {
        fix: 'The last instruction has the id of the node, each other one an id of its own.',
      },
    );
  const checked = inputCheck(node);
  const before = checked === null ? node.needs : [checked.id];
  const parts = lowered.map((each, index) => {
    const needs = each.needs ?? [];
    const isEntry = !needs.some((need) => names.has(need));
    const given = index === lowered.length - 1 ? settingsOf(node, kind) : boundsOf(node);
    return Node.parse({ ...given, ...each, needs: isEntry ? [...before, ...needs] : needs });
  });
  return checked === null ? parts : [checked, ...parts];
}

/** What a node of a contributed kind is given is not the input of its instructions: it is checked before them. */
function inputCheck(node: KindNode): Node | null {
  const { input, input_schema: schema, needs } = node;
  if (schema === undefined) return null;
  const id = partId(node, 'input');
  return Node.parse({
    kind: 'transform',
    id,
    needs,
    ...(input !== undefined && { value: input }),
    output_schema: schema,
  });
}

function boundsOf({ timeout_seconds, max_retries, retry }: KindNode): object {
  return withoutUndefined({ timeout_seconds, max_retries, retry });
}

function settingsOf(node: KindNode, { fields }: NodeKind): object {
  const { title, acceptance, idempotency_key, on_error, fallback, tools, output_schema } = node;
  const own = { title, acceptance, idempotency_key, on_error, fallback, tools };
  const promise = 'output_schema' in fields ? {} : { output_schema };
  return { ...boundsOf(node), ...withoutUndefined({ ...own, ...promise }) };
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The instructions of one node that need none of the others. */
function entriesOf(nodes: readonly Node[]): string[] {
  const names = new Set(nodes.map(({ id }) => id));
  return nodes.filter(({ needs }) => !needs.some((need) => names.has(need))).map(({ id }) => id);
}

/** For each instruction the position of the node it was written as, and for each edge the place where it was written. */
type Places = {
  nodes: readonly number[];
  edges: readonly string[];
  isLowered: (place: number) => boolean;
  isEachLowered: (place: number) => boolean;
};

/** A field that only an instruction has is left out of the path: the person wrote no such field (N4). */
function toWrittenPath(path: string, places: Places): string {
  const [list = '', index, ...fields] = path.split('.');
  if (index === undefined) return path;
  if (list === 'edges') return toWrittenEdge(places.edges[Number(index)] ?? `edges.${index}`, fields);
  if (list !== 'nodes') return path;
  const place = places.nodes[Number(index)] ?? Number(index);
  const [field = '', below = ''] = fields;
  const isWritten = !places.isLowered(place) || field in commonFields;
  const isEachCut = field === 'each' && places.isEachLowered(place) && !(below in commonFields);
  return [list, place, ...(isWritten ? fields.slice(0, isEachCut ? 1 : undefined) : [])].join('.');
}

/** An edge that a node names as a branch has no fields of its own. */
const toWrittenEdge = (place: string, fields: readonly string[]): string =>
  place.startsWith('edges.') ? [place, ...fields].join('.') : place;
