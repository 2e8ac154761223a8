import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createVectorScan } from '../../../../src/rooms/memory/embedding/vector-scan.ts';
import { search } from '../../../../src/rooms/memory/recall/search-memory.ts';
import { memoryHome, recallOf, said, wordModel } from '../../../support/memory.ts';

const never = new AbortController().signal;
const talk = [
  said('pet', 'We brought home a beagle puppy from the shelter', { namespace: 'a' }),
  said('car', 'There is an old camper van in the driveway', { namespace: 'b' }),
  said('ill', 'The scan showed pneumonia', { namespace: 'c' }),
];

describe('search by meaning', () => {
  it('finds what shares no word with the question, offline, and is kept for the next process', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...talk);
    const first = await recallOf(home);
    expect((await search(first, { query: 'automobile', limit: 1 })).found).toEqual([]);
    await first.embedAll(never);
    const { found, by } = await search(first, { query: 'automobile', limit: 1 });
    expect([by, found[0]?.id]).toEqual(['keywords and vectors', 'car']);
    await first.close();
    const second = await recallOf(home);
    expect((await search(second, { query: 'illness of the lungs', limit: 1 })).found[0]?.id).toBe('ill');
    expect((await second.semantic.open())?.model).toMatch(/all-MiniLM-L6-v2 [0-9a-f]{64}$/);
    await second.close();
  });

  it('4 vectors that cannot be read are made again, and words are enough until then', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...talk);
    mkdirSync(join(home.options.folder, 'vectors', 'vectors.lance'), { recursive: true });
    writeFileSync(join(home.options.folder, 'vectors', 'vectors.lance', '_versions'), 'garbage');
    const recall = await recallOf(home, { embedder: wordModel('words').embedder });
    expect(await search(recall, { query: 'puppy', limit: 1 })).toMatchObject({
      by: 'keywords',
      found: [{ id: 'pet' }],
    });
    await recall.embedAll(never);
    expect(await search(recall, { query: 'puppy', limit: 1 })).toMatchObject({
      by: 'keywords and vectors',
      found: [{ id: 'pet' }],
    });
    await recall.close();
  });

  it('a model that cannot be loaded costs nothing but the meaning, and why is known', async () => {
    await using home = await memoryHome({ vectors: true, model: 'nobody/no-such-model' });
    await home.append(...talk);
    const recall = await recallOf(home);
    await recall.embedAll(never);
    expect(recall.semantic.failure).toContain('no-such-model');
    expect((await search(recall, { query: 'puppy', limit: 1 })).found[0]?.id).toBe('pet');
    await recall.close();
  });
});

describe('the scan', () => {
  const randomVector = (seed: number): Float32Array => {
    let state = (seed + 1) * 2_654_435_761;
    const numbers = Float32Array.from({ length: 64 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 4_294_967_296 - 0.5;
    });
    const length = Math.hypot(...numbers);
    return numbers.map((each) => each / length);
  };
  /** The same ones are asked for again and again. */
  const made = Array.from({ length: 9000 }, (_, seed) => randomVector(seed));
  const vector = (seed: number): Float32Array => made[seed] ?? randomVector(seed);
  const dot = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, each, index) => sum + each * (b[index] ?? 0), 0);

  it('1 tells how close each is, with an error below 0.01', () => {
    const scan = createVectorScan(64);
    for (let seed = 0; seed < 3000; seed += 1) scan.add(`k${seed}`, vector(seed));
    const asked = vector(77_777);
    const close = scan.similarities(asked);
    for (let seed = 0; seed < 3000; seed += 1)
      expect(Math.abs((close[seed] ?? 9) - dot(vector(seed), asked))).toBeLessThan(0.01);
  });

  it('2 is as exact for each of many, also for numbers that fill no whole block', () => {
    for (const [dims, rows] of [
      [64, 9000],
      [50, 3000],
    ] as const) {
      const scan = createVectorScan(dims);
      const vectors = Array.from({ length: rows }, (_, seed) => vector(seed).subarray(0, dims));
      for (const [seed, each] of vectors.entries()) scan.add(`k${seed}`, each);
      const asked = vector(123).subarray(0, dims);
      const off = Array.from(scan.similarities(asked), (value, row) => value - dot(vectors[row] ?? asked, asked));
      expect(off).toHaveLength(rows);
      expect(off.filter((each) => !(Math.abs(each) < 0.01))).toEqual([]);
    }
  });

  it('3 is the same in whatever order they were added', () => {
    const [one, other] = [createVectorScan(64), createVectorScan(64)];
    for (let seed = 0; seed < 3000; seed += 1) one.add(`k${seed}`, vector(seed));
    for (let seed = 2999; seed >= 0; seed -= 1) other.add(`k${seed}`, vector(seed));
    const asked = vector(77_777);
    const [close, turned] = [one.similarities(asked), other.similarities(asked)];
    for (let seed = 0; seed < 3000; seed += 1)
      if (close[one.rowOf(`k${seed}`)] !== turned[other.rowOf(`k${seed}`)]) expect.unreachable(`of k${seed}`);
  });

  it('refuses a vector of another length, and takes a key once', () => {
    const scan = createVectorScan(64);
    scan.add('a', vector(1));
    scan.add('a', vector(2));
    expect(scan.size).toBe(1);
    expect(() => scan.add('b', new Float32Array(3))).toThrow('expected a vector of 64 numbers, got 3');
  });
});
