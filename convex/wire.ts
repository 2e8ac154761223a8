/**
 * Owns: how an event travels and rests, and the limits that follow from those of a deployment.
 *
 * W1 The data of an event is a string, byte for byte as in the ledger. A field name of a stored value may not begin with
 *    $ or _ and must be plain ASCII, while event data may contain any JSON; and a hash can only be computed again from the
 *    same bytes.
 * W2 Everything but the data always travels: the chain can be checked even where nothing can be read.
 */
import { type Infer, v } from 'convex/values';

const KiB = 1024;

export const limits = {
  /** A document may have 1 MiB; the rest is room for everything that is not the data. */
  textBytes: 900 * KiB,
  /** One call may write 16 MiB in 16,000 documents. What is over is left for the next call. */
  batchEvents: 1000,
  batchBytes: 6 * KiB * KiB,
  batchRows: 12_000,
  /** One call may read 4096 ranges of an index. */
  batchLookups: 1500,
  /** What taking back a change counts for; it may need as many as a change names facts. */
  undoLookups: 600,
  pageEvents: 500,
  pageBytes: 4 * KiB * KiB,
  rows: 1000,
} as const;

/** The head before the first event. */
export const NOTHING = { seq: 0, hash: '0'.repeat(64) };

export const pen = v.union(v.literal('run'), v.literal('maintenance'));
export type Pen = Infer<typeof pen>;

export const body = v.union(
  v.object({ kind: v.literal('plain'), text: v.string() }),
  v.object({ kind: v.literal('sealed'), text: v.string() }),
  v.object({ kind: v.literal('withheld'), why: v.optional(v.string()) }),
);

export const wireFields = {
  seq: v.number(),
  type: v.string(),
  run: v.union(v.string(), v.null()),
  at: v.string(),
  cause: v.union(v.number(), v.null()),
  v: v.number(),
  d: v.number(),
  prev: v.string(),
  hash: v.string(),
  body,
};
export const wireEvent = v.object(wireFields);
export type WireEvent = Infer<typeof wireEvent>;

export const appended = v.union(
  v.object({ kind: v.literal('ok'), next: v.number() }),
  v.object({ kind: v.literal('gap'), next: v.number() }),
  /** `theirs` was sent, `ours` is stored here. */
  v.object({ kind: v.literal('fork'), seq: v.number(), theirs: v.string(), ours: v.string() }),
  v.object({ kind: v.literal('broken'), seq: v.number() }),
  v.object({ kind: v.literal('too_large'), seq: v.number(), bytes: v.number(), most: v.number() }),
);
export type Appended = Infer<typeof appended>;

const encoder = new TextEncoder();
const MOST_BYTES_A_CHARACTER = 3;

export function bytesOf(event: Pick<WireEvent, 'body'>): number {
  switch (event.body.kind) {
    case 'plain':
    case 'sealed':
      return encoder.encode(event.body.text).length;
    case 'withheld':
      return 0;
  }
}

export function tooLarge(event: WireEvent): Extract<Appended, { kind: 'too_large' }> | null {
  if (event.body.kind === 'withheld') return null;
  if (event.body.text.length * MOST_BYTES_A_CHARACTER <= limits.textBytes) return null;
  const bytes = bytesOf(event);
  return bytes > limits.textBytes ? { kind: 'too_large', seq: event.seq, bytes, most: limits.textBytes } : null;
}
