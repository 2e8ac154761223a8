/**
 * Owns: the similarity of one vector to many, computed in memory.
 *
 * 1. Vectors are stored as bytes with a scale, at a quarter of their size; the error in similarity is below 0.01.
 * 2. Every vector gets a similarity. Among many vectors it is estimated from their signs (384 bits), which is accurate to
 *    a few hundredths; the best by that estimate, and those the caller asks for, are then computed exactly.
 * 3. The same vectors give the same answer in whatever order they were added.
 */

export type VectorScan = {
  readonly size: number;
  /** The row number, counted from 0, or -1 when there is none. */
  rowOf(key: string): number;
  add(key: string, vector: ArrayLike<number>): void;
  /** By row, from -1 to 1. `allowed` has 1 for each requested row and 2 where it must be exact; the others are NaN. */
  similarities(vector: ArrayLike<number>, allowed?: Uint8Array): Float32Array;
};

/** With more rows than this, similarity is estimated from signs first. */
const MAX_EXACT_ROWS = 8000;
/** The number of best estimates that are then computed exactly. */
const REFINED_ROWS = 6000;
/** The resolution of the histogram that selects them. */
const BINS = 4096;

export function createVectorScan(dims: number): VectorScan {
  const eights = Math.ceil(dims / 8);
  const rows = new Map<string, number>();
  let bytes = new Int8Array(dims * 1024);
  let signs = new Uint8Array(eights * 1024);
  let scales = new Float32Array(1024);
  /** The sum of the absolute values of each vector. */
  let sizes = new Float32Array(1024);

  function grow(): void {
    if (rows.size < scales.length) return;
    bytes = copyInto(bytes, new Int8Array(bytes.length * 2));
    signs = copyInto(signs, new Uint8Array(signs.length * 2));
    scales = copyInto(scales, new Float32Array(scales.length * 2));
    sizes = copyInto(sizes, new Float32Array(sizes.length * 2));
  }

  function exactSimilarity(row: number, asked: QuantizedVector): number {
    let sum = 0;
    const from = row * dims;
    for (let index = 0; index < dims; index += 1) sum += (bytes[from + index] ?? 0) * (asked.bytes[index] ?? 0);
    return sum * (scales[row] ?? 0) * asked.scale;
  }

  /** Estimates similarity from signs (2). It is exact for a vector compared with itself. */
  function approximateSimilarity(row: number, sums: Float32Array): number {
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
      if (vector.length !== dims) throw new Error(`expected a vector of ${dims} numbers, got ${vector.length}`);
      if (rows.has(key)) return;
      grow();
      const row = rows.size;
      const packed = quantize(vector, eights);
      bytes.set(packed.bytes, row * dims);
      signs.set(packed.signs, row * eights);
      scales[row] = packed.scale;
      sizes[row] = packed.size;
      rows.set(key, row);
    },
    similarities: (vector, allowed) => {
      const asked = quantize(vector, eights);
      const close = new Float32Array(rows.size).fill(Number.NaN);
      const able = listAllowedRows(rows.size, allowed);
      if (able.length <= MAX_EXACT_ROWS) for (const row of able) close[row] = exactSimilarity(row, asked);
      else {
        const sums = signSums(vector, eights);
        for (const row of able) close[row] = approximateSimilarity(row, sums);
        const least = findRefineThreshold(able, close);
        for (const row of able)
          if ((close[row] ?? 0) >= least || allowed?.[row] === 2) close[row] = exactSimilarity(row, asked);
      }
      return close;
    },
  };
}

function listAllowedRows(size: number, allowed: Uint8Array | undefined): Uint32Array {
  const able = new Uint32Array(size);
  let count = 0;
  for (let row = 0; row < size; row += 1)
    if (allowed === undefined || (allowed[row] ?? 0) > 0) {
      able[count] = row;
      count += 1;
    }
  return able.subarray(0, count);
}

/** At least `REFINED_ROWS` rows have this similarity or a higher one. */
function findRefineThreshold(able: Uint32Array, close: Float32Array): number {
  const counts = new Uint32Array(BINS + 1);
  for (const row of able) {
    const bin = Math.floor(Math.min(1, Math.max(0, close[row] ?? 0)) * BINS);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  let bin = BINS;
  for (let seen = counts[bin] ?? 0; bin > 0 && seen < REFINED_ROWS; seen += counts[bin] ?? 0) bin -= 1;
  return bin / BINS;
}

type QuantizedVector = { bytes: Int8Array; signs: Uint8Array; scale: number; size: number };

function quantize(vector: ArrayLike<number>, eights: number): QuantizedVector {
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

/** For each group of eight numbers and each combination of their signs: the sum of the query with those signs. */
function signSums(vector: ArrayLike<number>, eights: number): Float32Array {
  const sums = new Float32Array(eights * 256);
  for (let eight = 0; eight < eights; eight += 1)
    for (let pattern = 0; pattern < 256; pattern += 1) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit += 1) sum += ((pattern >> bit) & 1 ? 1 : -1) * (vector[eight * 8 + bit] ?? 0);
      sums[(eight << 8) | pattern] = sum;
    }
  return sums;
}

function copyInto<T extends Int8Array | Uint8Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
