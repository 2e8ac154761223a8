/**
 * Owns: following the hash chain, and telling a power cut from damage.
 *
 * L1 A bad record is the torn end of an unacknowledged batch unless something behind it shows that it is not: a whole
 *    record whose watermark lies beyond the bad one, or a whole record that a power cut could not have put there
 *    (out of its place in the sequence). Then it is damage.
 */
import { type RawLine } from './chunks.ts';
import { type Position, parseLine, prevOf, seqOf, lastCompleteRecordIn, verifiedHash } from './line.ts';

/** Where the chain breaks: the seq that was expected, the byte, and what is wrong there. */
export type Fault = { seq: number; offset: number; reason: string };

export type Link = { position: Position } | { fault: Fault };

/** Checks that a record follows `from` in the chain. */
export function checkLink(raw: RawLine, from: Position): Link {
  const fault = (reason: string): Link => ({ fault: { seq: from.seq + 1, offset: raw.start, reason } });
  if (!raw.closed) return fault('the record has no end');
  const hash = verifiedHash(raw.bytes);
  if (hash === null) return fault('the record does not match its hash');
  const seq = seqOf(raw.bytes);
  if (seq !== from.seq + 1) return fault(`the record says seq ${seq}`);
  if (prevOf(raw.bytes) !== from.hash) return fault('the record does not follow the one before it');
  return { position: { seq, offset: raw.end, hash } };
}

/** Whether this record, found at or behind the bad one, proves that the bad one was not torn by a power cut. */
export function provesDamage(raw: RawLine, bad: Fault): boolean {
  if (!raw.closed) return false;
  if (verifiedHash(raw.bytes) === null) return watermarkOf(lastCompleteRecordIn(raw.bytes, bad.seq)) > bad.offset;
  return raw.start === bad.offset || seqOf(raw.bytes) <= bad.seq || watermarkOf(raw.bytes) > bad.offset;
}

function watermarkOf(bytes: Buffer | null): number {
  return bytes === null ? 0 : parseLine(bytes).d;
}
