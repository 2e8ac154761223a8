/** Asks a model to write a graph, as a run of its own: each question is recorded and bounded. */
import { Graph } from '../../../core/schema/graph.ts';

export const buildGraph: Graph = Graph.parse({
  id: 'oka.build',
  title: 'Write a graph',
  nodes: [
    {
      kind: 'tool',
      id: 'write',
      title: 'Write',
      tool: 'model.template',
      input: '{{input}}',
      timeout_seconds: 900,
      max_retries: 1,
    },
  ],
});
