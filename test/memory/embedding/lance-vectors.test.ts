import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createVectorScan } from '../../../src/memory/embedding/vector-scan.ts';
import { search } from '../../../src/memory/recall/search-memory.ts';
import { memoryHome, recallOf, said } from '../../support/memory.ts';

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
    const first = await recallOf(home);
    await first.embedAll(never);
    await first.close();
    rmSync(join(home.options.folder, 'vectors'), { recursive: true });
    mkdirSync(join(home.options.folder, 'vectors', 'vectors.lance'), { recursive: true });
    writeFileSync(join(home.options.folder, 'vectors', 'vectors.lance', '_versions'), 'garbage');
    const second = await recallOf(home);
    expect((await search(second, { query: 'puppy', limit: 1 })).found[0]?.id).toBe('pet');
    await second.embedAll(never);
    expect((await search(second, { query: 'dog', limit: 1 })).found[0]?.id).toBe('pet');
    await second.close();
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
  const vector = (seed: number): Float32Array => {
    let state = (seed + 1) * 2_654_435_761;
    const numbers = Float32Array.from({ length: 64 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 4_294_967_296 - 0.5;
    });
    const length = Math.hypot(...numbers);
    return numbers.map((each) => each / length);
  };
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

  it('2 tells it of every one of many by the signs, not far off, and of the closest as exactly as of few', () => {
    const scan = createVectorScan(64);
    const vectors = Array.from({ length: 25_000 }, (_, seed) => vector(seed));
    for (const [seed, each] of vectors.entries()) scan.add(`k${seed}`, each);
    const asked = vector(123);
    const exact = vectors.map((each) => dot(each, asked));
    const off = Array.from(scan.similarities(asked), (value, row) => value - (exact[row] ?? 9));
    expect(Math.hypot(...off) / Math.sqrt(off.length)).toBeLessThan(0.1); // with 384 numbers it is 0.03
    const byCloseness = off.map((_, row) => row).toSorted((a, b) => (exact[b] ?? 9) - (exact[a] ?? 9));
    expect(byCloseness[0]).toBe(123);
    for (const row of byCloseness.slice(0, 20)) expect(Math.abs(off[row] ?? 9)).toBeLessThan(0.01);
    const [farthest = 0] = byCloseness.slice(-1);
    const exactly = scan.similarities(asked, new Uint8Array(25_000).fill(1).fill(2, farthest, farthest + 1));
    expect(Math.abs((exactly[farthest] ?? 9) - (exact[farthest] ?? 9))).toBeLessThan(0.01);
  });

  it('3 tells the same in whatever order they came, and nothing of what is not asked for', () => {
    const [one, other] = [createVectorScan(64), createVectorScan(64)];
    for (let seed = 0; seed < 9000; seed += 1) one.add(`k${seed}`, vector(seed));
    for (let seed = 8999; seed >= 0; seed -= 1) other.add(`k${seed}`, vector(seed));
    const [asked, allowed] = [vector(77_777), new Uint8Array(9000).fill(1)];
    allowed[one.rowOf('k5')] = 0;
    const [close, turned] = [one.similarities(asked, allowed), other.similarities(asked)];
    for (let seed = 0; seed < 9000; seed += 1)
      if (seed === 5) expect(close[one.rowOf('k5')]).toBeNaN();
      else if (close[one.rowOf(`k${seed}`)] !== turned[other.rowOf(`k${seed}`)]) expect.unreachable(`of k${seed}`);
  });

  it('refuses a vector of another length, and takes a key once', () => {
    const scan = createVectorScan(64);
    scan.add('a', vector(1));
    scan.add('a', vector(2));
    expect(scan.size).toBe(1);
    expect(() => scan.add('b', new Float32Array(3))).toThrow('expected a vector of 64 numbers, got 3');
  });
});
