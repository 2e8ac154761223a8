import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openBackgroundRecall } from '../../../../src/rooms/memory/recall/background-recall.ts';
import { type MemoryHome, memoryHome, recallOf, said } from '../../../support/memory.ts';

function besideOf({ oka, options }: MemoryHome, idleAfterMs?: number) {
  const { folder, ledgers, settings } = options;
  const rest = idleAfterMs === undefined ? {} : { idleAfterMs };
  return openBackgroundRecall({ folder, ledgers, settings, artifacts: join(oka, 'artifacts'), ...rest });
}

async function canWrite(home: MemoryHome): Promise<boolean> {
  const other = await recallOf(home);
  try {
    return other.canWrite;
  } finally {
    await other.close();
  }
}

describe('recall in a worker thread', () => {
  it('answers from what stands in the ledger, and packs it for a prompt', async () => {
    await using home = await memoryHome();
    await home.append(said('1', 'the boat is called Luna'));
    const beside = besideOf(home);
    expect((await beside.search({ query: 'boat', limit: 3 })).found).toMatchObject([
      { id: '1', evidence: [{ seq: 1 }] },
    ]);
    await home.append(said('2', 'the boat was sold'));
    const ask = { role: 'planner', run: 'r', node: 'plan', query: 'paint the boat', model: null, given: [] } as const;
    const { text, manifest } = await beside.pack(ask);
    expect(text).toContain('Luna');
    expect(manifest.items.map(({ id }) => id).toSorted()).toEqual(['chat:1', 'chat:2']);
    await beside.close();
  });

  it('is the one writer while it lives, and lets go when it is closed', async () => {
    await using home = await memoryHome();
    await home.append(said('1', 'words'));
    const beside = besideOf(home);
    await beside.search({ query: 'words', limit: 1 });
    const other = await recallOf(home);
    expect(other.canWrite).toBe(false);
    await other.close();
    await beside.close();
    const next = await recallOf(home);
    expect(next.canWrite).toBe(true);
    await next.close();
  });

  it('lets go when nobody asks, and answers the next question like the first one', async () => {
    await using home = await memoryHome();
    await home.append(said('1', 'the boat is called Luna'));
    const beside = besideOf(home, 10);
    for (const query of ['boat', 'Luna', 'called']) {
      expect((await beside.search({ query, limit: 1 })).found).toMatchObject([{ id: '1' }]);
      await expect.poll(() => canWrite(home), { timeout: 20_000 }).toBe(true);
    }
    await Promise.all(['boat', 'Luna', 'called'].map((query) => beside.search({ query, limit: 1 })));
    await beside.close();
  });

  it('answers whoever asks at the moment when it lets go', async () => {
    await using home = await memoryHome();
    await home.append(said('1', 'the boat is called Luna'));
    const beside = besideOf(home, 0);
    for (let time = 0; time < 12; time += 1) {
      const { found } = await beside.search({ query: 'boat', limit: 1 });
      expect(found).toHaveLength(1);
      await setTimeout(time);
    }
    await beside.close();
  });

  it('a question that cannot be answered is told as an error, and the next one is answered', async () => {
    await using home = await memoryHome();
    const beside = besideOf(home);
    await expect(beside.search({ query: 5 as never, limit: 1 })).rejects.toThrow();
    expect((await beside.search({ query: 'words', limit: 1 })).found).toEqual([]);
    await beside.close();
    await expect(beside.search({ query: 'words', limit: 1 })).rejects.toThrow('closed');
  });

  it('costs nothing when nobody asks', async () => {
    await using home = await memoryHome();
    const beside = besideOf(home);
    beside.notifyChange();
    await beside.close();
  });
});
