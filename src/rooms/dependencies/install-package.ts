/** Installs one package, as a separate run: all runs that need the package wait for it, and it is approved only once. */
import { Graph } from '../../core/schema/graph.ts';

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
