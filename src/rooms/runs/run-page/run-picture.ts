/** The query for the picture of a run: the nodes and edges of its graph, which never change while it runs. */
import { z } from 'zod';
import { graphOfRun } from '../../../kit/runs/replay-runs.ts';
import type { Json } from '../../../core/schema/json.ts';
import { Id } from '../../../core/schema/names.ts';
import { Drawing, drawPicture } from '../../../kit/web/drawn-graph.ts';
import { pictureOf } from '../../../kit/views/picture/graph-picture.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { readRunTree } from './run-tree.ts';

/** Below its title each box has the status of its step, and how long it took, in any language. */
const STATUS_WIDTH = 170;

export type RunGraphAnswer = z.infer<typeof RunGraphAnswer>;
const RunGraphAnswer = z
  .strictObject({
    drawing: Drawing.nullable().describe(
      'Its picture; null when it has too many nodes. The status of each is in the answer of `run`.',
    ),
    text: z.string().describe('The graph itself, as JSON.'),
  })
  .describe('The graph of a run.');

export const runGraph = defineQuery({
  params: z.strictObject({ run: Id.describe('The run: `graph_run` of the answer of `run`.') }).describe('Which run.'),
  answer: RunGraphAnswer,
  read: async ({ params, ...request }) => {
    const { own } = await readRunTree(request, params.run);
    const graph = await graphOfRun(request.home, own);
    const picture = pictureOf(graph as unknown as { [field: string]: Json });
    return { drawing: drawPicture(picture, STATUS_WIDTH), text: JSON.stringify(graph, null, 2) };
  },
});
