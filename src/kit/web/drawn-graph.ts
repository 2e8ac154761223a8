/** A picture of a graph as pages draw it: what is where. */
import { z } from 'zod';
import { NodeStatus } from '../../core/schema/run.ts';
import type { Picture } from '../views/picture/graph-picture.ts';
import { LABEL_HEIGHT, wrapLabel } from '../views/picture/labels.ts';
import { layoutLarge } from '../views/picture/large-layout.ts';
import { layoutPicture, type PlacedEdge } from '../views/picture/layout.ts';
import { edgePath } from '../views/picture/svg.ts';

/** More nodes take too long to lay out, and nobody could see them. */
const MOST_DRAWN = 1000;
const LARGE = 60;

const place = { x: z.number(), y: z.number(), width: z.number(), height: z.number() };

export type Drawing = z.infer<typeof Drawing>;
export const Drawing = z
  .strictObject({
    width: z.number().describe('Of the picture.'),
    height: z.number().describe('Of the picture.'),
    nodes: z
      .array(
        z.strictObject({
          ...place,
          id: z.string().describe('The node.'),
          title: z.array(z.string()).describe('Its title, in lines.'),
          about: z.array(z.string()).describe('What it does, in lines.'),
          shape: z.enum(['step', 'condition', 'map']).describe('How it is drawn.'),
          status: NodeStatus.nullable().describe('How it went in the run that is shown; null without one.'),
          times: z.int().nonnegative().describe('How often it ran.'),
        }),
      )
      .describe('The boxes.'),
    edges: z
      .array(
        z.strictObject({
          from: z.string(),
          to: z.string(),
          path: z.string().describe('The `d` of an SVG path.'),
          back: z.boolean().describe('Whether it leads to a node that comes before.'),
          label: z
            .strictObject({ ...place, text: z.string() })
            .nullable()
            .describe('Its label, if it has one.'),
        }),
      )
      .describe('The arrows.'),
  })
  .describe('A picture of a graph: what is drawn where.');

/** Null for a graph that is too large; `least` is the width of the narrowest box. */
export function drawPicture(picture: Picture, least?: number): Drawing | null {
  if (picture.nodes.length > MOST_DRAWN) return null;
  const layOut = picture.nodes.length > LARGE ? layoutLarge : layoutPicture;
  const { width, height, nodes, edges } = layOut(picture, least);
  return {
    width,
    height,
    nodes: nodes.map(({ node: { id, title, about, shape, went }, x, y, width: boxWidth, height: boxHeight }) => ({
      x,
      y,
      width: boxWidth,
      height: boxHeight,
      id,
      title: wrapLabel(title),
      about: wrapLabel(about),
      shape,
      status: went?.status ?? null,
      times: went?.times ?? 0,
    })),
    edges: edges.map((placed) => ({
      from: placed.edge.from,
      to: placed.edge.to,
      path: edgePath(placed),
      back: placed.edge.isBack,
      label: placed.isLoop ? loopLabel(placed) : placed.label,
    })),
  };
}

/** An edge from a node to itself has its label at its corner. */
function loopLabel({ edge, points }: PlacedEdge): Drawing['edges'][number]['label'] {
  const corner = points[1];
  if (edge.label === '' || corner === undefined) return null;
  return { x: corner.x, y: corner.y - LABEL_HEIGHT, width: 0, height: LABEL_HEIGHT, text: edge.label };
}
