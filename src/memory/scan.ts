/**
 * Owns: the closest of many vectors, from memory.
 *
 * 1. Vectors are kept as bytes with a scale, a quarter of their size; the error in closeness is below 0.01.
 * 2. Where there are many, their signs choose who is looked at closely: 384 bits say most of what 384 numbers do.
 * 3. The same vectors in the same order give the same answer.
 */

export type Scan = {
  readonly size: number;
  has(key: string): boolean;
  add(key: string, vector: ArrayLike<number>): void;
  closest(vector: ArrayLike<number>, most: number): Map<string, number>;
};

/** Above this many the signs choose first. */
const LOOK_AT_ALL = 20_000;
/** So many times more than asked for are then looked at closely. */
const CLOSER = 4;

export function emptyScan(dims: number): Scan {
  const words = Math.ceil(dims / 32);
  const places = new Map<string, number>();
  const keys: string[] = [];
  let bytes = new Int8Array(dims * 1024);
  let signs = new Int32Array(words * 1024);
  let scales = new Float32Array(1024);

  function grow(): void {
    if (keys.length < scales.length) return;
    bytes = grown(bytes, new Int8Array(bytes.length * 2));
    signs = grown(signs, new Int32Array(signs.length * 2));
    scales = grown(scales, new Float32Array(scales.length * 2));
  }

  function closeness(row: number, asked: Packed): number {
    let sum = 0;
    const from = row * dims;
    for (let index = 0; index < dims; index += 1) sum += (bytes[from + index] ?? 0) * (asked.bytes[index] ?? 0);
    return sum * (scales[row] ?? 0) * asked.scale;
  }

  /** 2. */
  function likely(asked: Packed, most: number): number[] {
    const differ = new Uint16Array(keys.length);
    const counts = new Uint32Array(dims + 1);
    for (let row = 0; row < keys.length; row += 1) {
      let sum = 0;
      for (let word = 0; word < words; word += 1)
        sum += bitsIn((signs[row * words + word] ?? 0) ^ (asked.signs[word] ?? 0));
      differ[row] = sum;
      counts[sum] = (counts[sum] ?? 0) + 1;
    }
    let limit = 0;
    for (let seen = 0; limit <= dims && seen < most; limit += 1) seen += counts[limit] ?? 0;
    const rows: number[] = [];
    for (let row = 0; row < keys.length; row += 1) if ((differ[row] ?? 0) < limit) rows.push(row);
    return rows;
  }

  return {
    get size() {
      return keys.length;
    },
    has: (key) => places.has(key),
    add: (key, vector) => {
      if (vector.length !== dims) throw new Error(`a vector has ${vector.length} numbers instead of ${dims}`);
      if (places.has(key)) return;
      grow();
      const row = keys.push(key) - 1;
      const packed = packedOf(vector, words);
      bytes.set(packed.bytes, row * dims);
      signs.set(packed.signs, row * words);
      scales[row] = packed.scale;
      places.set(key, row);
    },
    closest: (vector, most) => {
      const asked = packedOf(vector, words);
      const rows = keys.length > LOOK_AT_ALL ? likely(asked, CLOSER * most) : keys.map((_, row) => row);
      const found = rows.map((row) => ({ row, close: closeness(row, asked) }));
      found.sort((a, b) => b.close - a.close || a.row - b.row);
      return new Map(found.slice(0, most).map(({ row, close }) => [keys[row] ?? '', close]));
    },
  };
}

type Packed = { bytes: Int8Array; signs: Int32Array; scale: number };

function packedOf(vector: ArrayLike<number>, words: number): Packed {
  const bytes = new Int8Array(vector.length);
  const signs = new Int32Array(words);
  let most = 1e-9;
  for (let index = 0; index < vector.length; index += 1) most = Math.max(most, Math.abs(vector[index] ?? 0));
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] ?? 0;
    bytes[index] = Math.round((value / most) * 127);
    if (value > 0) signs[index >> 5] = (signs[index >> 5] ?? 0) | (1 << (index & 31));
  }
  return { bytes, signs, scale: most / 127 };
}

function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

function grown<T extends Int8Array | Int32Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
