/** Our own row: the same work through the production wiring, with the disk's own flush. */
import { homeAt } from '../../src/kit/settings.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import { engineOn } from '../support/engine.ts';
import { storesIn } from '../support/home.ts';
import { measurePeer, step } from './work.ts';

await measurePeer(async ({ folder, steps }) => {
  const engine = engineOn(await storesIn(homeAt(folder)), (input) => ({
    text: step((input as { text: string }).text),
  }));
  const nodes = Array.from({ length: steps }, (_, index) => ({
    kind: 'tool',
    id: `n${index}`,
    tool: 'echo',
    needs: index === 0 ? [] : [`n${index - 1}`],
    timeout_seconds: 60,
    max_retries: 0,
  }));
  const graph = Graph.parse({ id: 'chain', nodes });
  let runs = 0;
  return async (first) => {
    runs += 1;
    const { done } = await engine.start(graph, { id: `run-${runs}`, input: { text: first } });
    return ((await done).output as { text: string }).text;
  };
});
