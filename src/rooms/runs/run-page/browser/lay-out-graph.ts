/** Places for the nodes and edges of a graph, from above to below. The library is loaded when the first one is shown. */

export type PictureAnswer = {
  nodes: { id: string; title: string; about: string; shape: string }[];
  edges: { from: string; to: string; label: string; is_back: boolean }[];
  text: string;
};

export type Layout = {
  width: number;
  height: number;
  nodes: (PictureAnswer['nodes'][number] & { x: number; y: number })[];
  edges: { path: string; label: string; isBack: boolean; at: { x: number; y: number } }[];
};

export const WIDTH = 220;
export const HEIGHT = 48;

/** dagre takes seconds for a large graph with many edges, and makes it so wide that nobody can read it. */
const LARGE = 60;

export function layOut(picture: PictureAnswer): Promise<Layout> {
  return picture.nodes.length > LARGE ? Promise.resolve(layOutLarge(picture)) : layOutSmall(picture);
}

async function layOutSmall({ nodes, edges }: PictureAnswer): Promise<Layout> {
  const { default: dagre } = await import('@dagrejs/dagre');
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 40, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  for (const [index, { from, to }] of edges.entries()) graph.setEdge(from, to, {}, String(index));
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id);
      return { ...node, x, y };
    }),
    edges: edges.map(({ from, to, label, is_back: isBack }, index) => {
      const { points } = graph.edge(from, to, String(index)) as { points: { x: number; y: number }[] };
      const at = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
      const path = points.map((point, step) => `${step === 0 ? 'M' : 'L'}${point.x} ${point.y}`).join(' ');
      return { path, label, isBack, at };
    }),
  };
}

const PER_ROW = 8;
const GAP_X = 28;
const GAP_Y = 36;

/** Every node below those before it, near the middle of them, and not too many beside each other. */
export function layOutLarge({ nodes, edges }: PictureAnswer): Layout {
  const places = new Map<string, { x: number; y: number }>();
  let y = HEIGHT;
  for (const rank of ranksOf({ nodes, edges })) {
    const wanted = new Map(rank.map((id) => [id, middleOf(id, edges, places)]));
    const order = rank.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    for (let from = 0; from < order.length; from += PER_ROW) {
      const row = order.slice(from, from + PER_ROW);
      row.forEach((id, at) => places.set(id, { x: (at - (row.length - 1) / 2) * (WIDTH + GAP_X), y }));
      y += HEIGHT + GAP_Y;
    }
  }
  const half = Math.max(...[...places.values()].map(({ x }) => x), 0) + WIDTH / 2 + GAP_X;
  const placeOf = (id: string): { x: number; y: number } => {
    const { x, y: height } = places.get(id) ?? { x: 0, y: 0 };
    return { x: x + half, y: height };
  };
  return {
    width: half * 2,
    height: y,
    nodes: nodes.map((node) => ({ ...node, ...placeOf(node.id) })),
    edges: edges.map(({ from, to, label, is_back: isBack }) => {
      const [a, b] = [placeOf(from), placeOf(to)];
      const [start, end] = [a.y + HEIGHT / 2, b.y - HEIGHT / 2];
      const bend = Math.max(GAP_Y, Math.abs(end - start) / 3);
      const path = `M${a.x} ${start} C${a.x} ${start + bend} ${b.x} ${end - bend} ${b.x} ${end}`;
      return { path, label, isBack, at: { x: (a.x + b.x) / 2, y: (start + end) / 2 } };
    }),
  };
}

/** Nodes by the length of the longest path that leads to them; edges back do not count. */
function ranksOf({ nodes, edges }: Pick<PictureAnswer, 'nodes' | 'edges'>): string[][] {
  const forward = edges.filter((edge) => !edge.is_back);
  const unmet = new Map(nodes.map(({ id }) => [id, 0]));
  for (const { to } of forward) unmet.set(to, (unmet.get(to) ?? 0) + 1);
  const behind = Map.groupBy(forward, ({ from }) => from);
  const ranks: string[][] = [];
  const left = new Set(unmet.keys());
  for (let rank = [...left].filter((id) => unmet.get(id) === 0); rank.length > 0; ) {
    ranks.push(rank);
    for (const id of rank) left.delete(id);
    const next: string[] = [];
    for (const id of rank)
      for (const { to } of behind.get(id) ?? []) {
        unmet.set(to, (unmet.get(to) ?? 0) - 1);
        if (unmet.get(to) === 0) next.push(to);
      }
    rank = next;
  }
  return left.size === 0 ? ranks : [...ranks, [...left]]; // nodes of a cycle that no edge back declares
}

function middleOf(
  id: string,
  edges: PictureAnswer['edges'],
  places: ReadonlyMap<string, { x: number; y: number }>,
): number {
  const before = edges.flatMap(({ from, to }) => (to === id ? (places.get(from)?.x ?? []) : []));
  return before.length === 0 ? 0 : before.reduce((sum, x) => sum + x, 0) / before.length;
}
