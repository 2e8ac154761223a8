import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyScan } from '../../src/memory/scan.ts';
import { search } from '../../src/memory/search.ts';
import { memoryHome, recallOf, said } from '../support/memory.ts';

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
    await first.learnAll(never);
    const { found, by } = await search(first, { query: 'automobile', limit: 1 });
    expect([by, found[0]?.id]).toEqual(['keywords and vectors', 'car']);
    await first.close();
    const second = await recallOf(home);
    expect((await search(second, { query: 'illness of the lungs', limit: 1 })).found[0]?.id).toBe('ill');
    expect((await second.meant.opened())?.model).toMatch(/all-MiniLM-L6-v2 [0-9a-f]{64}$/);
    await second.close();
  });

  it('4 vectors that cannot be read are made again, and words are enough until then', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...talk);
    const first = await recallOf(home);
    await first.learnAll(never);
    await first.close();
    rmSync(join(home.options.folder, 'vectors'), { recursive: true });
    mkdirSync(join(home.options.folder, 'vectors', 'vectors.lance'), { recursive: true });
    writeFileSync(join(home.options.folder, 'vectors', 'vectors.lance', '_versions'), 'garbage');
    const second = await recallOf(home);
    expect((await search(second, { query: 'puppy', limit: 1 })).found[0]?.id).toBe('pet');
    await second.learnAll(never);
    expect((await search(second, { query: 'dog', limit: 1 })).found[0]?.id).toBe('pet');
    await second.close();
  });

  it('a model that cannot be loaded costs nothing but the meaning, and why is known', async () => {
    await using home = await memoryHome({ vectors: true, model: 'nobody/no-such-model' });
    await home.append(...talk);
    const recall = await recallOf(home);
    await recall.learnAll(never);
    expect(recall.meant.trouble).toContain('no-such-model');
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

  it('1 gives the closest, with an error below 0.01', () => {
    const scan = emptyScan(64);
    for (let seed = 0; seed < 3000; seed += 1) scan.add(`k${seed}`, vector(seed));
    const asked = vector(77_777);
    const exact = Array.from({ length: 3000 }, (_, seed) => ({ row: seed, close: dot(vector(seed), asked) }));
    const best = exact.toSorted((a, b) => b.close - a.close)[0];
    const found = [...scan.closest(asked, 20)];
    expect(found[0]?.[0]).toBe(best?.row);
    for (const [row, close] of found) expect(Math.abs(close - (exact[row]?.close ?? 9))).toBeLessThan(0.01);
  });

  it('2 finds the same among many, by the signs first', () => {
    const scan = emptyScan(64);
    for (let seed = 0; seed < 25_000; seed += 1) scan.add(`k${seed}`, vector(seed));
    expect([...scan.closest(vector(123), 10).keys()][0]).toBe(scan.rowOf('k123'));
  });

  it('refuses a vector of another length, and takes a key once', () => {
    const scan = emptyScan(64);
    scan.add('a', vector(1));
    scan.add('a', vector(2));
    expect(scan.size).toBe(1);
    expect(() => scan.add('b', new Float32Array(3))).toThrow('3 numbers instead of 64');
  });
});
