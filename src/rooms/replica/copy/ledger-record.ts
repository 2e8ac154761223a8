/**
 * Owns: a record of the ledger as it is sent and returned. Its data stays the original text: parsed and serialized again,
 * or upgraded to a newer version, it would no longer match its hash.
 */
import { Sealer } from '../../../core/ledger/line.ts';
import type { Event, Pen } from '../../../core/schema/event.ts';
import type { WireEvent } from '../../../core/schema/replica-port.ts';

/** A record with its data as text. */
export type LedgerRecord = Omit<WireEvent, 'body'> & { data: string };

const DATA_KEY = ',"data":';
/** `,"prev":"…","hash":"…"}` with two hashes of 64 digits. */
const CHAIN_LENGTH = 149;

/** Parses the bytes of a complete record. */
export function parseRecord(bytes: Buffer): LedgerRecord {
  const text = bytes.toString('utf8');
  const dataAt = text.indexOf(DATA_KEY); // nothing in front of it is free text
  const dataEnd = text.length - CHAIN_LENGTH;
  const { seq, type, run, at, cause, v, d } = JSON.parse(`${text.slice(0, dataAt)}}`) as Omit<WireEvent, 'body'>;
  const { prev, hash } = JSON.parse(`{${text.slice(dataEnd + 1)}`) as Pick<WireEvent, 'prev' | 'hash'>;
  return { seq, type, run, at, cause, v, d, prev, hash, data: text.slice(dataAt + DATA_KEY.length, dataEnd) };
}

const sealer = new Sealer();

/** The hash that a record with these fields and this data has. */
export function recordHash(event: Omit<WireEvent, 'body'>, pen: Pen, data: string): string {
  const { seq, type, run, at, cause, v, d, prev } = event;
  sealer.clear();
  return sealer.add({ seq, type, run, at, pen, cause, v } as Event, data, d, prev);
}
