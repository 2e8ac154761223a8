/**
 * Vectors for a hundred thousand texts in a minute instead of half an hour: one that is made of sentences gets the mean of
 * theirs, each made by the real model once, and a little noise of its own. Questions and what answers them are real. The
 * model runs in a thread of its own, as in the worker.
 */
import { openBackgroundEmbedder } from '../../src/rooms/memory/embedding/background-embedder.ts';
import type { Embedder } from '../../src/rooms/memory/embedding/embedding-model.ts';
import { generator } from './data.ts';

const NOISE = 0.15;

export async function mixedEmbedder(isReal: (text: string) => boolean): Promise<Embedder> {
  const real = await openBackgroundEmbedder({ model: 'Xenova/all-MiniLM-L6-v2', download: false, cache: '' });
  const known = new Map<string, Float32Array>();
  async function sentence(text: string): Promise<Float32Array> {
    const vector = known.get(text) ?? (await real.embed(text));
    known.set(text, vector);
    return vector;
  }
  async function mixed(text: string): Promise<Float32Array> {
    const sum = new Float32Array(real.dims);
    for (const each of text.split(/(?<=[.!?]) /)) (await sentence(each)).forEach((value, at) => add(sum, at, value));
    const random = generator(Array.from(text).reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) | 0, 7));
    for (let at = 0; at < sum.length; at += 1) add(sum, at, NOISE * (random.next() - 0.5));
    const length = Math.hypot(...sum);
    return sum.map((value) => value / length);
  }
  return { ...real, embed: (text) => (isReal(text) ? real.embed(text) : mixed(text)) };
}

function add(sum: Float32Array, at: number, value: number): void {
  sum[at] = (sum[at] ?? 0) + value;
}
