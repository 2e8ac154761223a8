/**
 * Owns: the bytes of one record. A line is a JSON object with a fixed order of keys:
 * {seq, type, run, at, pen, cause, v, d, data, prev, hash}. `hash` covers every byte before `,"hash"`.
 */
import { hash } from 'node:crypto';
import type { Event, Line } from '../schema/event.ts';

/** The end of a record: its seq, the offset of the next byte counted from the first event ever, and its hash. */
export type Position = { seq: number; offset: number; hash: string };

export const START: Position = { seq: 0, offset: 0, hash: '0'.repeat(64) };
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

const SEQ_KEY = Buffer.from('{"seq":');
const PREV_KEY = Buffer.from(',"prev":"');
const HASH_KEY = Buffer.from(',"hash":"');
const CLOSE = Buffer.from('"}');
const HEX = 64;
const HASH_PART = HASH_KEY.length + HEX + CLOSE.length;
const PREV_PART = PREV_KEY.length + HEX + '"'.length;

const LARGEST_REUSED_BYTES = 8 * 1024 * 1024;
const MOST_BYTES_A_CHARACTER = 3;

/** Builds records one after the other in one buffer that is reused. */
export class Sealer {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #used = 0;

  /** `durable`: how many bytes of the ledger are durable when the record is written. Returns its hash. */
  add(event: Event, data: string, durable: number, prev: string): string {
    const head = fieldsBeforeData(event, durable);
    this.#makeRoom((head.length + data.length) * MOST_BYTES_A_CHARACTER + PREV_PART + HASH_PART + '\n'.length);
    const start = this.#used;
    this.#write(head);
    this.#write(data);
    this.#write(`,"prev":"${prev}"`);
    const sealed = hash('sha256', this.#bytes.subarray(start, this.#used));
    this.#write(`,"hash":"${sealed}"}\n`);
    return sealed;
  }

  get length(): number {
    return this.#used;
  }

  /** Valid until the next record is added. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > LARGEST_REUSED_BYTES) this.#bytes = Buffer.allocUnsafeSlow(64 * 1024);
  }

  #write(text: string): void {
    this.#used += this.#bytes.write(text, this.#used);
  }

  #makeRoom(needed: number): void {
    if (this.#used + needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#used + needed));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

function fieldsBeforeData({ seq, type, run, at, pen, cause, v }: Event, durable: number): string {
  const ran = run === null ? 'null' : `"${run}"`;
  return `{"seq":${seq},"type":"${type}","run":${ran},"at":"${at}","pen":"${pen}","cause":${cause},"v":${v},"d":${durable},"data":`;
}

/** The hash of a record if its content matches it; null when the bytes (without newline) are no complete record. */
export function verifiedHash(bytes: Buffer): string | null {
  const covered = bytes.length - HASH_PART;
  if (covered < PREV_PART || !startsWith(bytes, HASH_KEY, covered)) return null;
  if (!startsWith(bytes, CLOSE, bytes.length - CLOSE.length)) return null;
  const claimed = bytes.toString('latin1', covered + HASH_KEY.length, covered + HASH_KEY.length + HEX);
  return hash('sha256', bytes.subarray(0, covered)) === claimed ? claimed : null;
}

/** The hash that a record claims to have, whether or not its content matches it. */
export function storedHashOf(bytes: Buffer): string {
  return bytes.toString('latin1', bytes.length - CLOSE.length - HEX, bytes.length - CLOSE.length);
}

/** The complete record at the end of these bytes, after others whose newline was lost. Its seq is above `seq`. */
export function lastCompleteRecordIn(bytes: Buffer, seq: number): Buffer | null {
  for (let at = bytes.indexOf(SEQ_KEY, 1); at !== -1; at = bytes.indexOf(SEQ_KEY, at + 1)) {
    const end = bytes.subarray(at);
    if (seqOf(end) > seq && verifiedHash(end) !== null) return end;
  }
  return null;
}

export function prevOf(bytes: Buffer): string {
  const end = bytes.length - HASH_PART - '"'.length;
  return bytes.toString('latin1', end - HEX, end);
}

/** The seq of a record, read from its first bytes; NaN when they are not the start of one. */
export function seqOf(bytes: Buffer): number {
  if (!startsWith(bytes, SEQ_KEY, 0)) return Number.NaN;
  const end = bytes.indexOf(0x2c, SEQ_KEY.length);
  const digits = bytes.toString('latin1', SEQ_KEY.length, end);
  return end > SEQ_KEY.length && end < SEQ_KEY.length + 17 && /^[1-9]\d*$/.test(digits) ? Number(digits) : Number.NaN;
}

export function parseLine(bytes: Buffer): Line {
  return JSON.parse(bytes.toString('utf8')) as Line;
}

function startsWith(bytes: Buffer, part: Buffer, at: number): boolean {
  return bytes.length >= at + part.length && part.compare(bytes, at, at + part.length) === 0;
}
