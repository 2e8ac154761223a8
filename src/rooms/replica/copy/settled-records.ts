/**
 * Owns: reading those records of a ledger that can no longer be lost, from any process, in bounded memory.
 *
 * S1 A record is returned only when it is durable and final: the watermark of a later record says so, it is in the
 *    archive, or it was flushed here and did not change for a while. A replica that got records which a power cut or a
 *    rollback then removed would have a different history forever.
 * S2 Every returned record follows the previous one in the chain.
 */
import { fdatasync } from 'node:fs';
import { promisify } from 'node:util';
import { checkLink } from '../../../core/ledger/hash-chain.ts';
import { readChunks, splitLines, type RawLine } from '../../../core/ledger/chunks.ts';
import { closeHistory, type History, openHistory, readLinesAfter } from '../../../core/ledger/history.ts';
import { parseLine, type Position, seqOf, START, verifiedHash } from '../../../core/ledger/line.ts';
import { lastSeqOf, offsetOfSeq, positionEndingAt } from '../../../core/ledger/seek.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Clock } from '../../../core/schema/ports.ts';
import { type LedgerRecord, parseRecord } from './ledger-record.ts';

/** A place in the chain. */
export type Place = Pick<Position, 'seq' | 'hash'>;

export type SettledReader = {
  /** Records after a place, up to what is settled now. Throws when the ledger does not continue from there. */
  recordsAfter(place: Place): AsyncGenerator<LedgerRecord>;
  /** The place of the record with this seq; null when there is none, or none that is settled. */
  placeOf(seq: number): Promise<Place | null>;
  /** Whether there are records that may settle soon. */
  hasUnsettled(): boolean;
};

/** A rollback follows its failed write within moments. */
export const SETTLE_MS = 500;
const sync = promisify(fdatasync);

export function createSettledReader(ledgerFile: string, clock: Clock, settlesMs = SETTLE_MS): SettledReader {
  let seen: { end: Position; at: number } | null = null;
  let waiting = false;

  /** The offset up to which everything is settled (S1). */
  async function settledEnd({ live }: History): Promise<number> {
    const last = await lastRecord(ledgerFile, live);
    if (last === null) return live.base;
    const watermark = Math.max(live.base, last.watermark);
    const stood = seen !== null && clock() - seen.at >= settlesMs && isStillThere(live, seen.end) ? seen.end.offset : 0;
    if (seen?.end.hash !== last.end.hash) {
      await sync(live.fd);
      seen = { end: last.end, at: clock() };
    }
    const settled = Math.max(watermark, stood);
    waiting = settled < last.end.offset;
    return settled;
  }

  /** Settled records from a seq on; their bytes are valid until the next one is requested. */
  async function* rawsFrom(seq: number): AsyncGenerator<RawLine> {
    const history = openHistory(ledgerFile);
    if (history === null) return;
    try {
      const end = await settledEnd(history);
      for (const source of readLinesAfter(history, startOffset(history, seq)))
        for await (const raws of source)
          for (const raw of raws) {
            if (raw.end > end) return;
            if (!(seqOf(raw.bytes) < seq)) yield raw;
          }
    } finally {
      closeHistory(history);
    }
  }

  async function* recordsAfter(place: Place): AsyncGenerator<LedgerRecord> {
    let at: Position = { ...place, offset: 0 };
    for await (const raw of rawsFrom(place.seq + 1)) {
      const link = checkLink(raw, at);
      if ('fault' in link) throw damagedError(ledgerFile, raw, link.fault.reason);
      at = link.position;
      yield parseRecord(raw.bytes);
    }
  }

  async function placeOf(seq: number): Promise<Place | null> {
    if (seq === 0) return START;
    for await (const raw of rawsFrom(seq)) {
      const hash = verifiedHash(raw.bytes);
      if (hash === null || seqOf(raw.bytes) !== seq) throw damagedError(ledgerFile, raw, `event ${seq} is not there`);
      return { seq, hash };
    }
    return null;
  }

  return { recordsAfter, placeOf, hasUnsettled: () => waiting };
}

type Live = History['live'];

/** The last complete record of the live file, and its watermark: how much was durable when it was written. */
async function lastRecord(ledgerFile: string, live: Live): Promise<{ end: Position; watermark: number } | null> {
  const start = offsetOfSeq(live, Math.max(1, lastSeqOf(ledgerFile)));
  let last: { end: Position; watermark: number } | null = null;
  for await (const raws of splitLines(readChunks(live.fd, start - live.base, live.size), start))
    for (const raw of raws) {
      const hash = raw.closed ? verifiedHash(raw.bytes) : null;
      if (hash === null) return last;
      const { seq, d } = parseLine(raw.bytes);
      last = { end: { seq, offset: raw.end, hash }, watermark: d };
    }
  return last;
}

function isStillThere(live: Live, { offset, hash }: Position): boolean {
  return offset <= live.base || positionEndingAt(live, offset)?.hash === hash;
}

function startOffset({ segments, live }: History, seq: number): number {
  return segments.find(({ last }) => last >= seq)?.start ?? offsetOfSeq(live, seq);
}

function damagedError(ledgerFile: string, raw: RawLine, reason: string): OkaError {
  return new OkaError('ledger-damaged', `${ledgerFile}, byte ${raw.start}: ${reason}`, { fix: 'Run: oka verify' });
}
