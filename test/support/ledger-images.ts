/**
 * What a disk may contain after a power cut. Everything up to the last flush is there. Of the batch behind it each
 * 512-byte sector has arrived or has not, in any order, and the file may have any length between the old and the new.
 */
import { hash } from 'node:crypto';
import type { Random, WrittenLedger } from './ledger-samples.ts';

export type Image = { bytes: Buffer; about: string };

const SECTOR = 512;

/** Every set of sectors, each with as many lengths as fit into `most` images; or that many by chance. None twice. */
export function* imagesOf({ bytes, lastBatch }: WrittenLedger, random: Random, most: number): Generator<Image> {
  const first = Math.floor(lastBatch / SECTOR);
  const sectors = Math.ceil(bytes.length / SECTOR) - first;
  const sets = 2 ** sectors;
  const sizes = sizesOf(lastBatch, bytes.length, random).slice(0, Math.floor(most / sets));
  const seen = new Set<string>();
  for (let index = 0; index < (sets > most ? most : sets * sizes.length); index += 1) {
    const arrived = sets > most ? someOf(sectors, random) : bitsOf(index % sets, sectors);
    const size = sizes[Math.floor(index / sets)] ?? random.between(lastBatch, bytes.length);
    const image = imageOf(bytes, lastBatch, first, arrived, size, random.chance(0.2));
    const sum = hash('sha1', image.bytes);
    if (!seen.has(sum)) yield image;
    seen.add(sum);
  }
}

function imageOf(
  bytes: Buffer,
  lastBatch: number,
  first: number,
  arrived: readonly boolean[],
  size: number,
  garbage: boolean,
): Image {
  const image = Buffer.from(bytes.subarray(0, size));
  for (const [index, there] of arrived.entries()) {
    const start = Math.max(lastBatch, (first + index) * SECTOR);
    const end = Math.min(size, (first + index + 1) * SECTOR);
    if (!there && start < end) image.fill(garbage ? '\u00ff"}\n{"seq":7,' : 0, start, end, 'latin1');
  }
  const map = arrived.map((there) => (there ? '1' : '0')).join('');
  return { bytes: image, about: `sectors ${map}, ${size} bytes, ${garbage ? 'garbage' : 'zeros'} elsewhere` };
}

/** The old length, the new one, every sector's edge when there are few, and some in between. */
function sizesOf(least: number, most: number, random: Random): number[] {
  const edges = Array.from({ length: 4 }, (_, index) => (Math.floor(least / SECTOR) + 1 + index) * SECTOR);
  const sizes = [most, ...Array.from({ length: 9 }, () => random.between(least, most)), most - 1, ...edges, least];
  return [...new Set(sizes.filter((size) => size >= least && size <= most))];
}

function bitsOf(number: number, count: number): boolean[] {
  return Array.from({ length: count }, (_, bit) => (Math.floor(number / 2 ** bit) & 1) === 1);
}

/** Few missing, few there, or half of them. */
function someOf(count: number, random: Random): boolean[] {
  const share = [0.1, 0.5, 0.9][random.below(3)] ?? 0.5;
  return Array.from({ length: count }, () => random.chance(share));
}
