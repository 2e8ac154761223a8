import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { openBackgroundEmbedder } from '../../../../src/rooms/memory/embedding/background-embedder.ts';

const bundled = { model: 'Xenova/all-MiniLM-L6-v2', download: false, cache: '' };

/** The threads of the embedder: its own, and one of the model's library that inherits the name and stays. */
const threads = (): number => readdirSync('/proc/self/task').filter((id) => nameOf(id).startsWith('embedding')).length;

function nameOf(id: string): string {
  try {
    return readFileSync(`/proc/self/task/${id}/comm`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}

it.skipIf(process.platform !== 'linux')(
  '4 a model that nobody asks is unloaded, and the next question loads it again',
  async () => {
    const embedder = await openBackgroundEmbedder(bundled, 2000);
    const first = await embedder.embed('a boat in the harbour');
    const loaded = threads();
    await expect.poll(threads, { timeout: 60_000 }).toBeLessThan(loaded);
    const both = await Promise.all([embedder.embed('a boat in the harbour'), embedder.embed('soup')]);
    expect([both[0], both[1].length]).toEqual([first, first.length]);
    await embedder.close();
    await expect.poll(threads, { timeout: 60_000 }).toBeLessThan(loaded);
  },
);

it('1 a thread that runs has the text before the caller does anything else', async () => {
  const embedder = await openBackgroundEmbedder(bundled);
  const posting = vi.spyOn(Worker.prototype, 'postMessage');
  try {
    const reading = embedder.embed('a boat in the harbour');
    expect(posting).toHaveBeenCalledTimes(1); // while nothing has been awaited
    expect(await reading).toHaveLength(embedder.dims);
  } finally {
    posting.mockRestore();
    await embedder.close();
  }
});
