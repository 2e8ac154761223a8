/**
 * Owns: the closest of many vectors, from memory.
 *
 * 1. Vectors are kept as bytes with a scale, a quarter of their size; the error in closeness is below 0.01.
 * 2. Where there are many, their signs choose who is looked at closely: what is asked, held against 384 bits, says most
 *    of what 384 numbers do.
 * 3. The same vectors give the same answer, in whatever order they came.
 */

export type Scan = {
  readonly size: number;
  /** The number of its row, counted from 0; -1 when it has none. */
  rowOf(key: string): number;
  add(key: string, vector: ArrayLike<number>): void;
  /** Closeness by row, the closest first. `allowed` has a 1 for each row that may be given. */
  closest(vector: ArrayLike<number>, most: number, allowed?: Uint8Array): Map<number, number>;
};

/** Above this many the signs choose first. */
const LOOK_AT_ALL = 8000;
/** So many times more than asked for are then looked at closely. */
const CLOSER = 6;
/** Scores are told apart this finely when the likely ones are chosen. */
const BINS = 4096;

export function emptyScan(dims: number): Scan {
  const eights = Math.ceil(dims / 8);
  const rows = new Map<string, number>();
  const keys: string[] = [];
  let bytes = new Int8Array(dims * 1024);
  let signs = new Uint8Array(eights * 1024);
  let scales = new Float32Array(1024);

  function grow(): void {
    if (keys.length < scales.length) return;
    bytes = grown(bytes, new Int8Array(bytes.length * 2));
    signs = grown(signs, new Uint8Array(signs.length * 2));
    scales = grown(scales, new Float32Array(scales.length * 2));
  }

  function closeness(row: number, asked: Packed): number {
    let sum = 0;
    const from = row * dims;
    for (let index = 0; index < dims; index += 1) sum += (bytes[from + index] ?? 0) * (asked.bytes[index] ?? 0);
    return sum * (scales[row] ?? 0) * asked.scale;
  }

  /** 2. At least `most`, where there are as many. */
  function likely(vector: ArrayLike<number>, most: number, able: readonly number[]): number[] {
    const { sums, largest } = sumsOf(vector, eights);
    const scores = new Float32Array(able.length);
    const counts = new Uint32Array(BINS);
    const binOf = (score: number): number => Math.floor(((score + largest) / (2 * largest)) * (BINS - 1));
    for (let index = 0; index < able.length; index += 1) {
      const from = (able[index] ?? 0) * eights;
      let score = 0;
      for (let eight = 0; eight < eights; eight += 1) score += sums[(eight << 8) | (signs[from + eight] ?? 0)] ?? 0;
      scores[index] = score;
      const bin = binOf(scores[index] ?? 0);
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    let least = BINS - 1;
    for (let seen = counts[least] ?? 0; least > 0 && seen < most; seen += counts[least] ?? 0) least -= 1;
    return able.filter((_, index) => binOf(scores[index] ?? 0) >= least);
  }

  /** 3. */
  function closestFirst(a: Close, b: Close): number {
    return b.close - a.close || ((keys[a.row] ?? '') < (keys[b.row] ?? '') ? -1 : 1);
  }

  return {
    get size() {
      return keys.length;
    },
    rowOf: (key) => rows.get(key) ?? -1,
    add: (key, vector) => {
      if (vector.length !== dims) throw new Error(`a vector has ${vector.length} numbers instead of ${dims}`);
      if (rows.has(key)) return;
      grow();
      const row = keys.push(key) - 1;
      const packed = packedOf(vector, eights);
      bytes.set(packed.bytes, row * dims);
      signs.set(packed.signs, row * eights);
      scales[row] = packed.scale;
      rows.set(key, row);
    },
    closest: (vector, most, allowed) => {
      const asked = packedOf(vector, eights);
      const able = ableRows(keys.length, allowed);
      const looked = able.length > LOOK_AT_ALL ? likely(vector, CLOSER * most, able) : able;
      const found = looked.map((row): Close => ({ row, close: closeness(row, asked) })).toSorted(closestFirst);
      return new Map(found.slice(0, most).map(({ row, close }) => [row, close]));
    },
  };
}

type Close = { row: number; close: number };

function ableRows(size: number, allowed: Uint8Array | undefined): number[] {
  const able: number[] = [];
  for (let row = 0; row < size; row += 1) if (allowed === undefined || allowed[row] === 1) able.push(row);
  return able;
}

type Packed = { bytes: Int8Array; signs: Uint8Array; scale: number };

function packedOf(vector: ArrayLike<number>, eights: number): Packed {
  const bytes = new Int8Array(vector.length);
  const signs = new Uint8Array(eights);
  let most = 1e-9;
  for (let index = 0; index < vector.length; index += 1) most = Math.max(most, Math.abs(vector[index] ?? 0));
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] ?? 0;
    bytes[index] = Math.round((value / most) * 127);
    if (value > 0) signs[index >> 3] = (signs[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return { bytes, signs, scale: most / 127 };
}

/** For each eight numbers, and each way their signs may be: the sum of what is asked with these signs. */
function sumsOf(vector: ArrayLike<number>, eights: number): { sums: Float32Array; largest: number } {
  const sums = new Float32Array(eights * 256);
  let largest = 1e-9;
  for (let index = 0; index < vector.length; index += 1) largest += Math.abs(vector[index] ?? 0);
  for (let eight = 0; eight < eights; eight += 1)
    for (let way = 0; way < 256; way += 1) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit += 1) sum += ((way >> bit) & 1 ? 1 : -1) * (vector[eight * 8 + bit] ?? 0);
      sums[(eight << 8) | way] = sum;
    }
  return { sums, largest };
}

function grown<T extends Int8Array | Uint8Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
