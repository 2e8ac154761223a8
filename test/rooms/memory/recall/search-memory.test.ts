import { expect, it } from 'vitest';
import { buildPack } from '../../../../src/rooms/memory/recall/build-pack.ts';
import { fitToBudget, type Found, openSearch } from '../../../../src/rooms/memory/recall/search-memory.ts';
import { createTokenCounter } from '../../../../src/kit/text/tokens.ts';
import { memoryHome, recallOf, said } from '../../../support/memory.ts';

const talk = Array.from({ length: 400 }, (_, index) =>
  said(`t${index}`, `The harbour of day ${index} was full of boats.`),
);

it('3 reads and counts only while something can still fit', async () => {
  await using home = await memoryHome();
  await home.append(...talk);
  const recall = await recallOf(home);
  let read = 0;
  function* counted(found: Iterable<Found>): Generator<Found> {
    for (const each of found) {
      read += 1;
      yield each;
    }
  }
  const counter = await createTokenCounter('openai');
  const fitting = await openSearch(recall, { query: 'harbour boats', limit: 400 }, ({ found }) =>
    fitToBudget(counted(found), 300, counter),
  );
  expect(fitting.length).toBeGreaterThan(15);
  expect(fitting.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(300);
  expect(read).toBeLessThanOrEqual(fitting.length + 60);
  await recall.close();
});

it('3 a pack reads about as much as it contains', async () => {
  await using home = await memoryHome({ vectors: false, cap: 400 });
  await home.append(...talk);
  const recall = await recallOf(home);
  let read = 0;
  const itemsAt = recall.items.itemsAt.bind(recall.items);
  recall.items.itemsAt = (numbers) => {
    read += numbers.length;
    return itemsAt(numbers);
  };
  const ask = {
    role: 'executor',
    run: 'x',
    node: null,
    query: 'Paint the boats in the harbour.',
    model: null,
    given: [],
  } as const;
  const { manifest } = await buildPack(recall, ask);
  expect(manifest.items.length).toBeGreaterThan(5);
  expect(read).toBeLessThan(100);
  await recall.close();
});
