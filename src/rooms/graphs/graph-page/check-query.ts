/** Checking and drawing a graph that is being edited; nothing is saved. */
import { z } from 'zod';
import { parseGraphText } from '../../../kit/graphs/edit-graph.ts';
import { listProblems } from '../graph-problems.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { type Drawing, GraphCheckAnswer } from './graph-answers.ts';
import type { Json } from '../../../core/schema/json.ts';
import { pictureOf, withRun } from '../../../kit/views/picture/graph-picture.ts';
import { layoutPicture, type PlacedEdge, wrapLabel } from '../../../kit/views/picture/layout.ts';
import { edgePath } from '../../../kit/views/picture/svg.ts';

/** More nodes take too long to lay out, and nobody could see them. */
const MOST_DRAWN = 1000;

const LABEL_HEIGHT = 18;

export const graphCheckQuery = defineQuery({
  params: z.strictObject({ text: z.string().max(400_000).describe('The graph, as JSON.') }),
  answer: GraphCheckAnswer,
  isPosted: true,
  read: ({ home, params }) => checkGraphText(home, params.text),
});

/** `events` are those of a run that the picture shows. */
export async function checkGraphText(
  home: Home,
  text: string,
  events: readonly Event[] | null = null,
): Promise<z.infer<typeof GraphCheckAnswer>> {
  try {
    const value = parseGraphText(text, 'this');
    const available = { tools: await toolNamesIn(home), kinds: await nodeKinds() };
    const problems = listProblems({ file: 'this', value }, available).map(({ path, problem, rule, fix }) => ({
      path,
      problem,
      rule: rule ?? null,
      fix: fix ?? null,
    }));
    return { valid: problems.length === 0, problems, drawing: drawGraph(value, events) };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    const problem = { path: '(top)', problem: messageOf(error), rule: null, fix: error.fix ?? null };
    return { valid: false, problems: [problem], drawing: null };
  }
}

/** Null for a graph that is too large; `events` are those of a run that is shown in it. */
function drawGraph(graph: { [field: string]: Json }, events: readonly Event[] | null = null): Drawing | null {
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
