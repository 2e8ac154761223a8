/**
 * Owns: where the nodes, edges and labels of a picture are: a layered layout from top to bottom.
 *
 * P1 Boxes and labels never overlap: both are items of a rank, and ranks do not overlap.
 * P2 An edge passes a rank only through an item of its own, so that it crosses no box and no label.
 * P3 The same graph gives the same picture.
 */
import type { Picture, PictureEdge, PictureNode } from './graph-picture.ts';
import { boxFor, LABEL_HEIGHT, textWidth } from './labels.ts';

/** A rectangle by its upper left corner. */
export type Box = { x: number; y: number; width: number; height: number };
export type Point = { x: number; y: number };
export type PlacedNode = Box & { node: PictureNode; lines: string[] };
/** From its first point to its last: vertical through ranks, curved between them. */
export type PlacedEdge = {
  edge: PictureEdge;
  points: Point[];
  label: (Box & { text: string }) | null;
  isLoop: boolean;
};
export type Layout = { width: number; height: number; nodes: PlacedNode[]; edges: PlacedEdge[] };

/** An item of a rank: a node, or the place where an edge passes it. */
type Item = {
  width: number;
  height: number;
  x: number;
  rank: number;
  before: Item[];
  after: Item[];
};
type Route = { edge: PictureEdge; items: Item[]; isReversed: boolean; label: Item | null };

export const MARGIN = 16;
const GAP_X = 18;
const GAP_Y = 20;
const LOOP = 26;
const SWEEPS = 12;

/** `least` is the width of the narrowest box. */
export function layoutPicture({ nodes, edges }: Picture, least?: number): Layout {
  const ranks = ranksOf(nodes, edges);
  const loops = loopSpace(edges);
  const items = new Map(
    nodes.map((node) => {
      const { width, height } = boxFor(node, least);
      const rank = (ranks.get(node.id) ?? 0) * 2;
      return [node.id, itemOf({ width: width + (loops.get(node.id) ?? 0), height, rank })];
    }),
  );
  const routes = edges.map((edge) => routeOf(edge, items, ranks));
  const rows = rowsOf([...items.values(), ...routes.flatMap((route) => route.items)]);
  sortRows(rows);
  placeInRows(rows);
  const tops = topsOf(rows);
  return assemble(nodes, items, routes, rows, tops);
}

/** The longest way to each node over edges that lead forward; edges that close a circle are left out. */
export function ranksOf(nodes: readonly PictureNode[], edges: readonly PictureEdge[]): Map<string, number> {
  const behind = new Map(nodes.map(({ id }) => [id, [] as string[]]));
  for (const { from, to, isBack } of edges) if (!isBack && from !== to) behind.get(from)?.push(to);
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const cut = new Set<string>();
  for (const { id } of nodes) visit(id);
  const ranks = new Map(nodes.map(({ id }) => [id, 0]));
  for (const id of order.toReversed())
    for (const next of behind.get(id) ?? [])
      if (!cut.has(`${id} ${next}`)) ranks.set(next, Math.max(ranks.get(next) ?? 0, (ranks.get(id) ?? 0) + 1));
  return ranks;

  function visit(start: string): void {
    const stack = [{ id: start, next: 0 }];
    if (state.has(start)) return;
    state.set(start, 'open');
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = behind.get(top.id)?.[top.next];
      top.next += 1;
      if (child === undefined) {
        state.set(top.id, 'done');
        order.push(top.id);
        stack.pop();
      } else if (state.get(child) === 'open') cut.add(`${top.id} ${child}`);
      else if (!state.has(child)) {
        state.set(child, 'open');
        stack.push({ id: child, next: 0 });
      }
    }
  }
}

const itemOf = (place: Pick<Item, 'width' | 'height' | 'rank'>): Item => ({
  ...place,
  x: 0,
  before: [],
  after: [],
});

/** The space at the right of each node with an edge to itself, for the edge and its label. */
function loopSpace(edges: readonly PictureEdge[]): Map<string, number> {
  const own = edges.filter(({ from, to }) => from === to);
  return new Map(own.map(({ from, label }) => [from, LOOP + textWidth(label)]));
}

/** One item for each rank between the two nodes; the first carries the label. Loops pass no rank. */
function routeOf(edge: PictureEdge, items: ReadonlyMap<string, Item>, ranks: ReadonlyMap<string, number>): Route {
  const [from, to] = [ranks.get(edge.from) ?? 0, ranks.get(edge.to) ?? 0];
  const isReversed = to < from;
  const [upper, lower] = isReversed ? [edge.to, edge.from] : [edge.from, edge.to];
  const [first, last] = [items.get(upper), items.get(lower)];
  if (edge.from === edge.to || first === undefined || last === undefined || from === to)
    return { edge, items: [], isReversed: false, label: null };
  const chain: Item[] = [];
  for (let rank = first.rank + 1; rank < last.rank; rank += 1) chain.push(itemOf({ width: 8, height: 0, rank }));
  const label = edge.label === '' ? null : ((isReversed ? chain.at(-1) : chain[0]) ?? null);
  if (label !== null) {
    label.width = textWidth(edge.label) + 10;
    label.height = LABEL_HEIGHT;
  }
  [first, ...chain].forEach((item, at) => {
    const next = chain[at] ?? last;
    item.after.push(next);
    next.before.push(item);
  });
  return { edge, items: chain, isReversed, label };
}

function rowsOf(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  for (const item of items) (rows[item.rank] ??= []).push(item);
  return Array.from(rows, (row) => row ?? []);
}

/** Sweeps down and up, and sorts each row by the middle of the neighbours: fewer edges cross. */
function sortRows(rows: Item[][]): void {
  const positions = new Map<Item, number>();
  const note = (row: readonly Item[]): void => row.forEach((item, at) => positions.set(item, at));
  rows.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const middles = new Map(row.map((item) => [item, middleOf(isDown ? item.before : item.after, item)]));
      row.sort(
        (a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0) || (positions.get(a) ?? 0) - (positions.get(b) ?? 0),
      );
      note(row);
    }
  }

  function middleOf(neighbours: readonly Item[], item: Item): number {
    if (neighbours.length === 0) return positions.get(item) ?? 0;
    return neighbours.reduce((sum, each) => sum + (positions.get(each) ?? 0), 0) / neighbours.length;
  }
}

/** Every item as near to its neighbours in other rows as those in its own row allow. */
function placeInRows(rows: readonly Item[][]): void {
  for (const row of rows) {
    let x = 0;
    for (const item of row) {
      item.x = x;
      x += item.width + GAP_X;
    }
  }
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep += 1)
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed())
      moveRow(row, (item) => {
        const around = sweep % 2 === 0 ? item.before : item.after;
        const near = around.length > 0 ? around : [...item.before, ...item.after];
        if (near.length === 0) return item.x;
        return near.reduce((sum, each) => sum + each.x + each.width / 2, 0) / near.length - item.width / 2;
      });
}

/** Items that want the same place share it: blocks of touching items move together to the mean of what they want. */
function moveRow(row: readonly Item[], wanted: (item: Item) => number): void {
  type Block = { items: Item[]; offset: number; sum: number };
  const blocks: Block[] = [];
  for (const item of row) {
    let block: Block = { items: [item], offset: item.width + GAP_X, sum: wanted(item) };
    for (
      let last = blocks.at(-1);
      last !== undefined && startOf(last) + last.offset > startOf(block);
      last = blocks.at(-1)
    ) {
      blocks.pop();
      const { offset } = last;
      block = {
        items: [...last.items, ...block.items],
        offset: offset + block.offset,
        sum: last.sum + block.sum - offset * block.items.length,
      };
    }
    blocks.push(block);
  }
  for (const block of blocks) {
    let x = startOf(block);
    for (const item of block.items) {
      item.x = x;
      x += item.width + GAP_X;
    }
  }

  function startOf({ items, sum }: Block): number {
    return sum / items.length;
  }
}

function topsOf(rows: readonly Item[][]): number[] {
  const tops: number[] = [];
  let y = MARGIN;
  for (const row of rows) {
    tops.push(y);
    y += Math.max(0, ...row.map(({ height }) => height)) + GAP_Y;
  }
  tops.push(y);
  return tops;
}

function assemble(
  nodes: readonly PictureNode[],
  items: ReadonlyMap<string, Item>,
  routes: readonly Route[],
  rows: readonly Item[][],
  tops: readonly number[],
): Layout {
  const all = rows.flat();
  const left = Math.min(0, ...all.map(({ x }) => x)) - MARGIN;
  const right = Math.max(0, ...all.map(({ x, width }) => x + width)) + MARGIN;
  for (const item of all) item.x -= left;
  const loops = loopSpace(routes.map(({ edge }) => edge));
  const boxes = new Map(
    nodes.flatMap((node): [string, PlacedNode][] => {
      const item = items.get(node.id);
      if (item === undefined) return [];
      const { x, rank, height } = item;
      const width = item.width - (loops.get(node.id) ?? 0);
      return [[node.id, { x, y: tops[rank] ?? 0, width, height, node, lines: boxFor(node).lines }]];
    }),
  );
  const edges = routes.map((route) => placeEdge(route, boxes, items, tops));
  return { width: right - left, height: (tops.at(-1) ?? 0) - GAP_Y + MARGIN, nodes: [...boxes.values()], edges };
}

function placeEdge(
  { edge, items: chain, isReversed, label }: Route,
  boxes: ReadonlyMap<string, PlacedNode>,
  items: ReadonlyMap<string, Item>,
  tops: readonly number[],
): PlacedEdge {
  const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
  if (from === undefined || to === undefined) throw new Error(`an edge from or to nowhere: ${edge.from}, ${edge.to}`);
  const [upper, lower] = isReversed ? [to, from] : [from, to];
  if (edge.from === edge.to || chain.length === 0)
    return { edge, points: loopPoints(from, to), label: null, isLoop: true };
  const bottomOf = (rank: number): number => (tops[rank + 1] ?? 0) - GAP_Y;
  const rankOf = (box: PlacedNode): number => items.get(box.node.id)?.rank ?? 0;
  const points: Point[] = [
    { x: portOf(upper, items, chain[0], 'after'), y: upper.y + upper.height },
    { x: portOf(upper, items, chain[0], 'after'), y: bottomOf(rankOf(upper)) },
    ...chain.flatMap((item) => {
      const x = item.x + item.width / 2;
      return [
        { x, y: tops[item.rank] ?? 0 },
        { x, y: bottomOf(item.rank) },
      ];
    }),
    { x: portOf(lower, items, chain.at(-1), 'before'), y: lower.y },
  ];
  const placed =
    label === null
      ? null
      : { x: label.x, y: tops[label.rank] ?? 0, width: label.width, height: label.height, text: edge.label };
  return { edge, points: isReversed ? points.toReversed() : points, label: placed, isLoop: false };
}

/** Edges leave and reach a box side by side, in the order of where they lead. */
function portOf(
  box: PlacedNode,
  items: ReadonlyMap<string, Item>,
  via: Item | undefined,
  side: 'before' | 'after',
): number {
  const all = (items.get(box.node.id)?.[side] ?? []).toSorted((a, b) => a.x + a.width / 2 - (b.x + b.width / 2));
  const at = via === undefined ? 0 : all.indexOf(via);
  return box.x + (box.width * (at + 1)) / (all.length + 1);
}

export function loopPoints(from: PlacedNode, to: PlacedNode): Point[] {
  const right = from.x + from.width;
  const [top, bottom] = [from.y + from.height * 0.3, to.y + to.height * 0.7];
  return [
    { x: right, y: bottom },
    { x: right + LOOP - 6, y: bottom },
    { x: right + LOOP - 6, y: top },
    { x: right, y: top },
  ];
}
