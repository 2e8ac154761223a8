/** Where everything in the picture of a graph is, for a view that draws it. */
import type { Event } from '../../../core/schema/event.ts';
import type { Json } from '../../../core/schema/json.ts';
import { pictureOf, withRun } from '../../../kit/views/picture/graph-picture.ts';
import { layoutPicture, type PlacedEdge, wrapLabel } from '../../../kit/views/picture/layout.ts';
import { edgePath } from '../../../kit/views/picture/svg.ts';
import type { Drawing } from './graph-answers.ts';

/** More nodes take too long to lay out, and nobody could see them. */
const MOST_DRAWN = 1000;
const LABEL_HEIGHT = 18;

/** Null for a graph that is too large; `events` are those of a run that is shown in it. */
export function drawGraph(graph: { [field: string]: Json }, events: readonly Event[] | null = null): Drawing | null {
  const plain = pictureOf(graph);
  if (plain.nodes.length > MOST_DRAWN) return null;
  const { width, height, nodes, edges } = layoutPicture(events === null ? plain : withRun(plain, events));
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
