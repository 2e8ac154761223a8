/**
 * Owns: how close many vectors are to one, from memory.
 *
 * 1. Vectors are kept as bytes with a scale, a quarter of their size; the error in closeness is below 0.01.
 * 2. Every vector gets its closeness. Where there are many, their signs tell it: what is asked, held against 384 bits, is
 *    known within some hundredths. The closest by that, and those that the asker cares for, are looked at closely.
 * 3. The same vectors give the same answer, in whatever order they came.
 */

export type Scan = {
  readonly size: number;
  /** The number of its row, counted from 0; -1 when it has none. */
  rowOf(key: string): number;
  add(key: string, vector: ArrayLike<number>): void;
  /** By row, -1 to 1. `allowed` has a 1 for each row that is asked for, a 2 where it must be exact; the others are NaN. */
  closeness(vector: ArrayLike<number>, allowed?: Uint8Array): Float32Array;
};

/** Above this many the signs tell. */
const LOOK_AT_ALL = 8000;
/** So many are looked at closely then. */
const CLOSELY = 6000;
/** Closeness is told apart this finely when they are chosen. */
const BINS = 4096;

export function emptyScan(dims: number): Scan {
  const eights = Math.ceil(dims / 8);
  const rows = new Map<string, number>();
  let bytes = new Int8Array(dims * 1024);
  let signs = new Uint8Array(eights * 1024);
  let scales = new Float32Array(1024);
  /** What the numbers of a vector sum up to without their signs. */
  let sizes = new Float32Array(1024);

  function grow(): void {
    if (rows.size < scales.length) return;
    bytes = grown(bytes, new Int8Array(bytes.length * 2));
    signs = grown(signs, new Uint8Array(signs.length * 2));
    scales = grown(scales, new Float32Array(scales.length * 2));
    sizes = grown(sizes, new Float32Array(sizes.length * 2));
  }

  function looked(row: number, asked: Packed): number {
    let sum = 0;
    const from = row * dims;
    for (let index = 0; index < dims; index += 1) sum += (bytes[from + index] ?? 0) * (asked.bytes[index] ?? 0);
    return sum * (scales[row] ?? 0) * asked.scale;
  }

  /** 2. A vector that is asked for itself is told to be as close as it is. */
  function told(row: number, sums: Float32Array): number {
    let sum = 0;
    const from = row * eights;
    for (let eight = 0; eight < eights; eight += 1) sum += sums[(eight << 8) | (signs[from + eight] ?? 0)] ?? 0;
    return sum / (sizes[row] ?? 1);
  }

  return {
    get size() {
      return rows.size;
    },
    rowOf: (key) => rows.get(key) ?? -1,
    add: (key, vector) => {
      if (vector.length !== dims) throw new Error(`a vector has ${vector.length} numbers instead of ${dims}`);
      if (rows.has(key)) return;
      grow();
      const row = rows.size;
      const packed = packedOf(vector, eights);
      bytes.set(packed.bytes, row * dims);
      signs.set(packed.signs, row * eights);
      scales[row] = packed.scale;
      sizes[row] = packed.size;
      rows.set(key, row);
    },
    closeness: (vector, allowed) => {
      const asked = packedOf(vector, eights);
      const close = new Float32Array(rows.size).fill(Number.NaN);
      const able = ableRows(rows.size, allowed);
      if (able.length <= LOOK_AT_ALL) for (const row of able) close[row] = looked(row, asked);
      else {
        const sums = sumsOf(vector, eights);
        for (const row of able) close[row] = told(row, sums);
        const least = leastOf(able, close);
        for (const row of able) if ((close[row] ?? 0) >= least || allowed?.[row] === 2) close[row] = looked(row, asked);
      }
      return close;
    },
  };
}

function ableRows(size: number, allowed: Uint8Array | undefined): Uint32Array {
  const able = new Uint32Array(size);
  let count = 0;
  for (let row = 0; row < size; row += 1)
    if (allowed === undefined || (allowed[row] ?? 0) > 0) {
      able[count] = row;
      count += 1;
    }
  return able.subarray(0, count);
}

/** From this closeness upwards there are at least `CLOSELY`. */
function leastOf(able: Uint32Array, close: Float32Array): number {
  const counts = new Uint32Array(BINS + 1);
  for (const row of able) {
    const bin = Math.floor(Math.min(1, Math.max(0, close[row] ?? 0)) * BINS);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  let bin = BINS;
  for (let seen = counts[bin] ?? 0; bin > 0 && seen < CLOSELY; seen += counts[bin] ?? 0) bin -= 1;
  return bin / BINS;
}

type Packed = { bytes: Int8Array; signs: Uint8Array; scale: number; size: number };

function packedOf(vector: ArrayLike<number>, eights: number): Packed {
  const bytes = new Int8Array(vector.length);
  const signs = new Uint8Array(eights);
  let [most, size] = [1e-9, 1e-9];
  for (let index = 0; index < vector.length; index += 1) {
    const value = Math.abs(vector[index] ?? 0);
    most = Math.max(most, value);
    size += value;
  }
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] ?? 0;
    bytes[index] = Math.round((value / most) * 127);
    if (value > 0) signs[index >> 3] = (signs[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return { bytes, signs, scale: most / 127, size };
}

/** For each eight numbers, and each way their signs may be: the sum of what is asked with these signs. */
function sumsOf(vector: ArrayLike<number>, eights: number): Float32Array {
  const sums = new Float32Array(eights * 256);
  for (let eight = 0; eight < eights; eight += 1)
    for (let way = 0; way < 256; way += 1) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit += 1) sum += ((way >> bit) & 1 ? 1 : -1) * (vector[eight * 8 + bit] ?? 0);
      sums[(eight << 8) | way] = sum;
    }
  return sums;
}

function grown<T extends Int8Array | Uint8Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
