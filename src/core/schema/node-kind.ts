/**
 * Node kinds that people may write besides the engine's own instructions (tool, agent, graph, map, wait). A kind has a
 * schema for its fields and says which instructions its nodes become; core/engine/lower.ts does the rest.
 */
import { z } from 'zod';
import { commonFields, Edge, Graph, instructionNodes, MapNode, type Node } from './graph.ts';
import type { Json } from './json.ts';
import { NodeId } from './names.ts';
import type { Mode } from './run.ts';

/**
 * A node kind.
 *
 *     export const upperNode: NodeKind = {
 *       kind: 'upper',
 *       about: 'Writes a text in capitals.',
 *       fields: { text: z.string().describe('The text.') },
 *       lower: ({ id, text = '' }) => [{ kind: 'tool', id, tool: 'text.upper', input: { text } }],
 *     };
 */
export type NodeKind = {
  /** The value of `kind` in a node. */
  readonly kind: string;
  /** One sentence for a person. */
  readonly about: string;
  /** Its own fields; those that every node has are added. */
  readonly fields: z.ZodRawShape;
  /**
   * The instructions that a node becomes, in the order in which they depend on each other. The last one has the id of
   * the node, since others refer to it; each other one is named `partId(node, 'part')`.
   */
  readonly lower: (node: KindNode, graph: { readonly id: string }, place: LoweredPlace) => readonly NodeInput[];
  /** The branches that its output may name in the field `branch`; edges may follow only these. */
  readonly branches?: (node: KindNode) => readonly string[];
  /**
   * What is wrong with a node by rules of its own, such as those of a mode. `followed` are the branches that edges
   * follow; null for the step of a map, which leads nowhere.
   */
  readonly problems?: (
    node: KindNode,
    around: { readonly mode: Mode; readonly followed: ReadonlySet<string> | null },
  ) => readonly KindProblem[];
};

/** A problem with a field of a node. */
export type KindProblem = { field: string; rule: string; problem: string; fix: string };

/** Where a node stands: an item of a map has `{{item}}`, which is its input unless it names another. */
export type LoweredPlace = { readonly isItem: boolean };

/** A node of a contributed kind: the fields that every node has, and those of its kind. */
export type KindNode = z.infer<z.ZodObject<typeof commonFields>> & { kind: string } & { [field: string]: Json };
/** An instruction as it is written, before defaults are added. */
type NodeInput = z.input<typeof Node>;
/** A node and an edge as people write them: both may name branches, which become conditions of edges (lower.ts). */
export type SourceNode = (Node | KindNode) & { branches?: Readonly<Record<string, string>> | undefined };
export type SourceEdge = Edge & { option?: string | undefined };
/** A graph as people write it; the step of a map may be of a contributed kind, too. */
export type SourceGraph = Omit<Graph, 'nodes' | 'edges'> & { nodes: SourceNode[]; edges: SourceEdge[] };

const branches = z
  .record(z.string().max(200), NodeId)
  .optional()
  .describe('For each branch that the output may name, the node that follows; the same as edges with `option`.');

const sourceEdge = Edge.extend({
  option: z.string().max(200).optional().describe('Taken only if the output of `from` names this branch.'),
}).describe(Edge.description ?? '');

export function partId(node: Pick<KindNode, 'id'>, part: string): string {
  return `${node.id}__${part}`;
}

/** The schema of graphs as people write them, with nodes of these kinds besides the engine's own. */
export function graphSchemaWith(kinds: readonly NodeKind[]): z.ZodType<SourceGraph> {
  const contributed = kinds.map(({ kind, about, fields }) =>
    z.strictObject({ kind: z.literal(kind).describe(about), ...commonFields, ...fields }),
  );
  const { each } = MapNode.shape;
  const map = MapNode.extend({
    each: z.discriminatedUnion('kind', [...each.options, ...contributed]).describe(each.description ?? ''),
    branches,
  });
  const others = instructionNodes.filter((instruction) => instruction !== MapNode);
  const node = z
    .discriminatedUnion('kind', [map, ...[...others, ...contributed].map((kind) => kind.extend({ branches }))])
    .describe('One step of a graph.');
  const { nodes, edges } = Graph.shape;
  return Graph.extend({
    nodes: z
      .array(node)
      .min(1)
      .max(200_000)
      .describe(nodes.description ?? ''),
    edges: z
      .array(sourceEdge)
      .max(200_000)
      .default([])
      .describe(edges.description ?? ''),
  }).describe(Graph.description ?? '') as unknown as z.ZodType<SourceGraph>;
}
