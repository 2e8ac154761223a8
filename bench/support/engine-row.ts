/** Our own row in the table of peers: the same work through the production wiring. */
import { engineOn, sequence } from './engine.ts';
import { memoryFolder, storesIn, temporaryHome } from './home.ts';

export async function engineRow(
  steps: number,
): Promise<{ name: string; us_per_step: number; flushes_per_step: number; note: string }> {
  using temporary = temporaryHome(memoryFolder);
  let flushes = 0;
  const counting = (): void => void (flushes += 1);
  const stores = await storesIn(temporary.home, { now: counting, later: async () => counting() });
  const engine = engineOn(stores);
  await (await engine.start(sequence(steps), { id: 'warm-up' })).done;
  flushes = 0;
  const graph = sequence(steps);
  const start = performance.now();
  await (await engine.start(graph, { id: 'bench' })).done;
  const us = ((performance.now() - start) * 1000) / steps;
  await stores.close();
  return {
    name: 'oka',
    us_per_step: us,
    flushes_per_step: flushes / steps,
    note: 'durable by default; nothing acknowledged is lost',
  };
}
