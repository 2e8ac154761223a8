/**
 * Owns: whether a batch continues the history that is known. Pure.
 *
 * C1 A batch is taken whole or not at all, except that its end may be left for the next call.
 * C2 What is known is never replaced: the same seq with another hash is a fork.
 */
import type { Appended, WireEvent } from './wire.ts';

export type Link = { seq: number; hash: string };
export type Refused = Exclude<Appended, { kind: 'ok' | 'too_large' }>;

/** What is wrong with a batch by itself. */
export function findRefusal(head: Link, events: readonly WireEvent[]): Refused | null {
  const first = events[0];
  if (first === undefined) return null;
  if (first.seq > head.seq + 1) return { kind: 'gap', next: head.seq + 1 };
  if (!Number.isInteger(first.seq) || first.seq < 1) return { kind: 'broken', seq: first.seq };
  let before: Link | null = null;
  for (const event of events) {
    if (before !== null && (event.seq !== before.seq + 1 || event.prev !== before.hash))
      return { kind: 'broken', seq: event.seq };
    before = event;
  }
  return null;
}

/** `stored` are the known events of the same seqs. */
export function forkIn(stored: readonly Link[], events: readonly WireEvent[]): Refused | null {
  const known = new Map(stored.map(({ seq, hash }) => [seq, hash]));
  for (const { seq, hash } of events) {
    const ours = known.get(seq);
    if (ours !== undefined && ours !== hash) return { kind: 'fork', seq, theirs: hash, ours };
  }
  return null;
}

/** The first new event has to follow the head. */
export function findGap(head: Link, events: readonly WireEvent[]): Refused | null {
  const first = events.find(({ seq }) => seq === head.seq + 1);
  return first === undefined || first.prev === head.hash ? null : { kind: 'broken', seq: first.seq };
}
