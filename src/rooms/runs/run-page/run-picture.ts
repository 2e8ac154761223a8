/** The query for the picture of a run: the nodes and edges of its graph, which never change while it runs. */
import { z } from 'zod';
import { graphOfRun } from '../../../kit/runs/replay-runs.ts';
import type { Json } from '../../../core/schema/json.ts';
import { Id } from '../../../core/schema/names.ts';
import { pictureOf } from '../../../kit/views/picture/graph-picture.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { readRunTree } from './run-tree.ts';

export const runGraph = defineQuery({
  params: z.strictObject({ run: Id.describe('The run: `graph_run` of the answer of `run`.') }).describe('Which run.'),
  answer: z
    .strictObject({
      nodes: z
        .array(
          z.strictObject({
            id: z.string().describe('Its name.'),
            title: z.string().describe('What it is called.'),
            about: z.string().describe('What it does, in a few words.'),
            shape: z.enum(['step', 'condition', 'map']).describe('What kind of node it is.'),
          }),
        )
        .describe('The nodes; their status is in the answer of `run`.'),
      edges: z
        .array(
          z.strictObject({
            from: z.string().describe('The node before.'),
            to: z.string().describe('The node behind.'),
            label: z.string().describe('When it is taken; empty for always.'),
            is_back: z.boolean().describe('Whether it starts earlier nodes over.'),
          }),
        )
        .describe('The edges.'),
      text: z.string().describe('The graph itself, as JSON.'),
    })
    .describe('The graph of a run.'),
  read: async ({ params, ...request }) => {
    const { own } = await readRunTree(request, params.run);
    const graph = await graphOfRun(request.home, own);
    const { nodes, edges } = pictureOf(graph as unknown as { [field: string]: Json });
    return {
      nodes: nodes.map(({ id, title, about, shape }) => ({ id, title, about, shape })),
      edges: edges.map(({ from, to, label, isBack }) => ({ from, to, label, is_back: isBack })),
      text: JSON.stringify(graph, null, 2),
    };
  },
});
