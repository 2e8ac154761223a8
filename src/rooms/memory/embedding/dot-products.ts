/**
 * Owns: the dot products of one vector of bytes with many, 16 bytes at a time. A loop in JavaScript takes many times as
 * long; this is a WebAssembly module of one function, assembled below, since so little needs neither a package nor a build
 * step. The results are whole numbers, so they are the same on every machine.
 */

type DotProducts = {
  /** Appends a vector of `dims` bytes. */
  add(vector: Int8Array): void;
  /** Writes the dot product of the given vector with each stored one, in the order in which they were stored. */
  multiply(vector: Int8Array, into: Float32Array): void;
};

const LANES = 16;
/** Bytes a turn of the inner loop. */
const UNROLLED = 4 * LANES;
const PAGE = 65_536;
/** So many products are computed with one call. */
const BLOCK = 1024;

/** The part of WebAssembly that is used here; Node has no types for it without those of a browser. */
type WebAssemblyApi = {
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ) => { exports: { multiply: Multiply } };
};
const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;

/** `row` and `end`: where the rows begin and end. `queryEnd`: where the query ends, which begins at 0. */
type Multiply = (row: number, end: number, queryEnd: number, out: number) => void;

/** The memory contains the widened query, the products of one block, and the rows, each padded to whole lanes. */
export function createDotProducts(dims: number): DotProducts {
  const stride = Math.ceil(dims / UNROLLED) * UNROLLED;
  const products = 2 * stride;
  const start = products + 4 * BLOCK;
  const memory = new Memory({ initial: Math.ceil((start + BLOCK * stride) / PAGE) });
  const { multiply } = new Instance(new Module(MODULE), { own: { memory } }).exports;
  let rows = 0;

  return {
    add: (vector) => {
      const at = start + rows * stride;
      const missing = at + stride - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(Math.max(missing, memory.buffer.byteLength / 8) / PAGE));
      new Int8Array(memory.buffer, at, dims).set(vector);
      rows += 1;
    },
    multiply: (vector, into) => {
      new Int16Array(memory.buffer, 0, dims).set(vector);
      const computed = new Int32Array(memory.buffer, products, BLOCK);
      for (let from = 0; from < rows; from += BLOCK) {
        const count = Math.min(BLOCK, rows - from);
        const first = start + from * stride;
        multiply(first, first + count * stride, products, products);
        into.set(computed.subarray(0, count), from);
      }
    },
  };
}

type Code = readonly number[];

const code = (...parts: readonly Code[]): Code => parts.flat();
const [I32, V128, VOID] = [0x7f, 0x7b, 0x40];
const vector = (...opcode: Code): Code => [0xfd, ...opcode];
const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const constant = (value: number): Code => [0x41, (value & 0x7f) | 0x80, value >> 7];
const [ADD, LESS, LOOP, END, REPEAT] = [[0x6a], [0x49], [0x03, VOID], [0x0b], [0x0d, 0]];
const advance = (local: number, by: number): Code => code(get(local), constant(by), ADD, set(local));
const load = (offset: number): Code => vector(0x00, 0, offset);
const lane = (number: number): Code => code(get(SUM), vector(0x1b, number));
const WIDEN_LOW = vector(0x87, 0x01);
const WIDEN_HIGH = vector(0x88, 0x01);
const MULTIPLY_PAIRS = vector(0xba, 0x01);
const ADD_LANES = vector(0xae, 0x01);
const ZERO = vector(0x0c, ...Array<number>(16).fill(0));
const STORE = [0x36, 2, 0];

const [ROW, ROWS_END, QUERY_END, OUT, QUERY, SUM, BYTES] = [0, 1, 2, 3, 4, 5, 6] as const;

/** Adds to the sums of the lanes what half of the bytes contribute. */
const addHalf = (widen: Code, offset: number): Code =>
  code(get(SUM), get(BYTES), widen, get(QUERY), load(offset), MULTIPLY_PAIRS, ADD_LANES, set(SUM));

/** Multiplies and adds the next 16 bytes of the row. */
const addGroup = (group: number): Code =>
  code(
    code(get(ROW), load(LANES * group), set(BYTES)),
    addHalf(WIDEN_LOW, 2 * LANES * group),
    addHalf(WIDEN_HIGH, 2 * LANES * group + LANES),
  );

const BODY = code(
  LOOP,
  code(ZERO, set(SUM), constant(0), set(QUERY)),
  LOOP,
  code(addGroup(0), addGroup(1), addGroup(2), addGroup(3)),
  code(advance(ROW, UNROLLED), advance(QUERY, 2 * UNROLLED), get(QUERY), get(QUERY_END), LESS, REPEAT),
  END,
  code(get(OUT), lane(0), lane(1), ADD, lane(2), ADD, lane(3), ADD, STORE),
  code(advance(OUT, 4), get(ROW), get(ROWS_END), LESS, REPEAT),
  END,
);

const withLength = (bytes: Code): Code => [(bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes];
const section = (id: number, bytes: Code): Code => [id, ...withLength(bytes)];
const name = (text: string): Code => [text.length, ...new TextEncoder().encode(text)];
/** One local of 32 bits, for QUERY, and two of 128, for SUM and BYTES. */
const LOCALS = [2, 1, I32, 2, V128];

const MODULE = Uint8Array.from(
  code(
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 4, I32, I32, I32, I32, 0]),
    section(2, [1, ...name('own'), ...name('memory'), 2, 0, 1]),
    section(3, [1, 0]),
    section(7, [1, ...name('multiply'), 0, 0]),
    section(10, [1, ...withLength(code(LOCALS, BODY, END))]),
  ),
);
