/** Installing one package, as a run of its own: whoever needs the package waits for it, and it is asked about once. */
import { Graph } from '../schema/graph.ts';

export const installGraph: Graph = Graph.parse({
  id: 'oka.install',
  title: 'Install a tool',
  nodes: [
    {
      kind: 'tool',
      id: 'install',
      title: 'Install',
      tool: 'deps.install',
      input: '{{input}}',
      timeout_seconds: 7200,
      max_retries: 1,
    },
  ],
});
