/** Finds positions in a live ledger file without reading all of it: seqs grow with offsets, so it can be bisected. */
import { readSync } from 'node:fs';
import { verifiedHash, type Position, seqOf, MAX_LINE_BYTES } from './line.ts';
import { closeHistory, type Live, openHistory } from './history.ts';

const NEWLINE = 0x0a;
const STEP = 16 * 1024;

/** Offset (from the first event ever) of the first record in the live file whose seq is at least `seq`. */
export function offsetOfSeq(live: Live, seq: number): number {
  return bisectLive(live, (head) => {
    const found = seqOf(head);
    return Number.isNaN(found) ? null : found >= seq;
  });
}

/** The same for the first record that was written at `at` or later, as far as the clock of the machine went forward. */
export function offsetOfTime(live: Live, at: string): number {
  return bisectLive(live, (head) => {
    const found = timeOf(head);
    return found === null ? null : found >= at;
  });
}

/** When a record was written, read from its first bytes; null when they are not the start of one. */
export function timeOf(head: Buffer): string | null {
  return /^\{"seq":[^{]*?,"at":"([^"]{20,30})"/.exec(head.toString('latin1', 0, HEAD_BYTES))?.[1] ?? null;
}

/** Enough for all fields of a record before its data. */
const HEAD_BYTES = 512;

/** `isBehind` of the first bytes of a record: whether it is one to stop at; null when that cannot be read. */
function bisectLive(live: Live, isBehind: (head: Buffer) => boolean | null): number {
  let low = 0;
  let high = live.size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const start = nextLineStart(live, middle);
    const found = start < live.size ? isBehind(readBytesAt(live, start, HEAD_BYTES)) : true;
    if (found === null) return live.base;
    if (found) high = middle;
    else low = start + 1;
  }
  return live.base + Math.min(nextLineStart(live, low), live.size);
}

/** The seq of the last complete line of a ledger; 0 when there is none. */
export function lastSeqOf(ledgerFile: string): number {
  const history = openHistory(ledgerFile);
  if (history === null) return 0;
  try {
    return lastPositionIn(history.live)?.seq ?? 0;
  } finally {
    closeHistory(history);
  }
}

/** The last complete record of the live file, or null when it has none or the last one is damaged. */
export function lastPositionIn(live: Live): Position | null {
  return positionEndingAt(live, live.base + lastLineEnd(live));
}

/** The record that ends exactly at `offset`, or null when none does. */
export function positionEndingAt(live: Live, offset: number): Position | null {
  const end = offset - live.base;
  if (end <= 0 || end > live.size || readBytesAt(live, end - 1, 1)[0] !== NEWLINE) return null;
  for (let back = STEP; ; back *= 4) {
    const from = Math.max(0, end - back);
    const bytes = readBytesAt(live, from, end - 1 - from);
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline === -1 && from > 0 && back < MAX_LINE_BYTES) continue;
    const line = bytes.subarray(newline + 1);
    const hash = verifiedHash(line);
    return hash === null ? null : { seq: seqOf(line), offset, hash };
  }
}

function lastLineEnd(live: Live): number {
  for (let end = live.size; end > 0; end -= STEP) {
    const from = Math.max(0, end - STEP);
    const newline = readBytesAt(live, from, end - from).lastIndexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}

function nextLineStart(live: Live, at: number): number {
  if (at === 0) return 0;
  for (let from = at - 1; from < live.size; from += STEP) {
    const newline = readBytesAt(live, from, STEP).indexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
  }
  return live.size;
}

function readBytesAt(live: Live, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, live.size - from)));
  return bytes.subarray(0, readSync(live.fd, bytes, 0, bytes.length, from));
}
