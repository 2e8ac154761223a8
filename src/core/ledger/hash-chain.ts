/**
 * Owns: checking the hash chain, and distinguishing the effect of a power cut from damage.
 *
 * L1 A bad record is the torn end of an unacknowledged batch unless a later record proves otherwise: a complete
 *    record whose watermark is beyond the bad one, or a complete record that a power cut could not have left there
 *    (it is out of sequence). Then it is damage.
 */
import { type RawLine } from './chunks.ts';
import { type Position, parseLine, prevOf, seqOf, lastCompleteRecordIn, verifiedHash } from './line.ts';

/** Where the chain breaks: the expected seq, the byte offset, and what is wrong there. */
export type Fault = { seq: number; offset: number; reason: string };

type Link = { position: Position } | { fault: Fault };

/** Checks that a record is the next one after `from` in the chain. */
export function checkLink(raw: RawLine, from: Position): Link {
  const fault = (reason: string): Link => ({ fault: { seq: from.seq + 1, offset: raw.start, reason } });
  if (!raw.closed) return fault('the record is incomplete');
  const hash = verifiedHash(raw.bytes);
  if (hash === null) return fault('the record does not match its hash');
  const seq = seqOf(raw.bytes);
  if (seq !== from.seq + 1) return fault(`the record has seq ${seq} instead`);
  if (prevOf(raw.bytes) !== from.hash) return fault('the record does not follow the one before it');
  return { position: { seq, offset: raw.end, hash } };
}

/** Whether this record, found at or after the bad one, proves that no power cut caused the bad one. */
export function provesDamage(raw: RawLine, bad: Fault): boolean {
  if (!raw.closed) return false;
  if (verifiedHash(raw.bytes) === null) return watermarkOf(lastCompleteRecordIn(raw.bytes, bad.seq)) > bad.offset;
  return raw.start === bad.offset || seqOf(raw.bytes) <= bad.seq || watermarkOf(raw.bytes) > bad.offset;
}

function watermarkOf(bytes: Buffer | null): number {
  return bytes === null ? 0 : parseLine(bytes).d;
}
