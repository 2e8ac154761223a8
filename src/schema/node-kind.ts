/**
 * Node kinds that people may write besides the engine's own instructions (tool, agent, graph, map, wait). A kind has a
 * schema for its fields and says which instructions its nodes become; engine/lower.ts does the rest.
 */
import { z } from 'zod';
import { commonFields, Graph, instructionNodes, MapNode, type Node } from './graph.ts';
import type { Json } from './json.ts';

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
};

/** Where a node stands: an item of a map has `{{item}}`, which is its input unless it names another. */
export type LoweredPlace = { readonly isItem: boolean };

/** A node of a contributed kind: the fields that every node has, and those of its kind. */
export type KindNode = z.infer<z.ZodObject<typeof commonFields>> & { kind: string } & { [field: string]: Json };
/** An instruction as it is written, before defaults are added. */
export type NodeInput = z.input<typeof Node>;
/** A graph as people write it; the step of a map may be of a contributed kind, too. */
export type SourceGraph = Omit<Graph, 'nodes'> & { nodes: (Node | KindNode)[] };

export function partId(node: Pick<KindNode, 'id'>, part: string): string {
  return `${node.id}__${part}`;
}

/** The schema of graphs that may also contain nodes of these kinds. */
export function graphSchemaWith(kinds: readonly NodeKind[]): z.ZodType<SourceGraph> {
  if (kinds.length === 0) return Graph;
  const contributed = kinds.map(({ kind, about, fields }) =>
    z.strictObject({ kind: z.literal(kind).describe(about), ...commonFields, ...fields }),
  );
  const { each } = MapNode.shape;
  const map = MapNode.extend({
    each: z.discriminatedUnion('kind', [...each.options, ...contributed]).describe(each.description ?? ''),
  });
  const others = instructionNodes.filter((instruction) => instruction !== MapNode);
  const node = z.discriminatedUnion('kind', [map, ...others, ...contributed]).describe('One step of a graph.');
  const { nodes } = Graph.shape;
  return Graph.extend({
    nodes: z
      .array(node)
      .min(1)
      .max(200_000)
      .describe(nodes.description ?? ''),
  }).describe(Graph.description ?? '') as unknown as z.ZodType<SourceGraph>;
}
