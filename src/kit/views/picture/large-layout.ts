/**
 * Owns: where the nodes of a large picture are. Beside each other in one row, the nodes of a rank would be too wide to read.
 *
 * P1 Boxes do not overlap, and each is below those that lead forward to it; edges go straight, behind other boxes if need be.
 * P2 There are a few boxes in a row, however many there are.
 */
import type { Picture, PictureEdge, PictureNode } from './graph-picture.ts';
import { boxFor, LABEL_HEIGHT, textWidth } from './labels.ts';
import { type Layout, loopPoints, MARGIN, type PlacedEdge, type PlacedNode, type Point, ranksOf } from './layout.ts';

const PER_ROW = 8;
const GAP_X = 28;
const GAP_Y = 36;

export function layoutLarge({ nodes, edges }: Picture, least?: number): Layout {
  const ranks = ranksOf(nodes, edges);
  const before = Map.groupBy(edges, ({ to }) => to);
  const placed = new Map<string, PlacedNode>();
  /** The middle of the nodes before, which have their places; 0 is the middle of the picture. */
  const wishOf = ({ id }: PictureNode): number => {
    const near = (before.get(id) ?? []).flatMap(({ from }) => placed.get(from) ?? []);
    return near.reduce((sum, { x, width }) => sum + x + width / 2, 0) / Math.max(1, near.length);
  };
  let y = MARGIN;
  const byRank = Map.groupBy(nodes, ({ id }) => ranks.get(id) ?? 0);
  for (const [, rank] of [...byRank].toSorted(([one], [other]) => one - other)) {
    const wishes = new Map(rank.map((node) => [node, wishOf(node)]));
    const order = rank.toSorted((one, other) => (wishes.get(one) ?? 0) - (wishes.get(other) ?? 0));
    for (let from = 0; from < order.length; from += PER_ROW) {
      const row = order.slice(from, from + PER_ROW).map((node) => ({ node, ...boxFor(node, least) }));
      let x = (GAP_X - row.reduce((sum, { width }) => sum + width + GAP_X, 0)) / 2;
      for (const box of row) {
        placed.set(box.node.id, { ...box, x, y });
        x += box.width + GAP_X;
      }
      y += Math.max(...row.map(({ height }) => height)) + GAP_Y;
    }
  }
  // What has its middle at 0 begins at 0.
  const half = Math.max(0, ...[...placed.values()].map(({ x, width }) => x + width)) + MARGIN;
  const boxes = new Map([...placed].map(([id, box]) => [id, { ...box, x: box.x + half }]));
  const arrows = edges.flatMap((edge) => placeEdge(edge, boxes));
  return { width: 2 * half, height: y - GAP_Y + MARGIN, nodes: [...boxes.values()], edges: arrows };
}

function placeEdge(edge: PictureEdge, boxes: ReadonlyMap<string, PlacedNode>): PlacedEdge[] {
  const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
  if (from === undefined || to === undefined) return [];
  if (from === to) return [{ edge, points: loopPoints(from, to), label: null, isLoop: true }];
  const isDown = from.y < to.y;
  const start = { x: from.x + from.width / 2, y: isDown ? from.y + from.height : from.y };
  const end = { x: to.x + to.width / 2, y: isDown ? to.y : to.y + to.height };
  return [{ edge, points: [start, end], label: labelBetween(start, end, edge.label), isLoop: false }];
}

function labelBetween(start: Point, end: Point, text: string): PlacedEdge['label'] {
  if (text === '') return null;
  const [width, height] = [textWidth(text) + 10, LABEL_HEIGHT];
  return { x: (start.x + end.x - width) / 2, y: (start.y + end.y - height) / 2, width, height, text };
}
