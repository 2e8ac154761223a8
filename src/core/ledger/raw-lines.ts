/** Owns: the bytes of a ledger as they are stored, archive included, for whoever verifies or shows them. Reads only. */
import { basename } from 'node:path';
import type { RawLine } from './chunks.ts';
import { closeHistory, type History, openHistory, readLinesAfter } from './history.ts';
import { seqOf } from './line.ts';
import { offsetOfSeq, offsetOfTime, timeOf } from './seek.ts';

/** A part of a ledger: complete lines, unless the ledger ends in the middle of one. Offsets are from the first event ever. */
type RawPart = { offset: number; end: number; text: string; size: number };

/** The lines behind an offset, at least one, and no more than about `mostBytes`. Null when there is no ledger. */
export async function readRawPart(ledgerFile: string, offset: number, mostBytes: number): Promise<RawPart | null> {
  return withHistory(ledgerFile, async (history) => {
    const size = history.live.base + history.live.size;
    const lines: string[] = [];
    let end = offset;
    for await (const raw of linesAfter(history, offset)) {
      if (lines.length > 0 && raw.end - offset > mostBytes) break;
      lines.push(`${raw.bytes.toString('utf8')}${raw.closed ? '\n' : ''}`);
      end = raw.end;
      if (end - offset >= mostBytes) break;
    }
    return { offset, end, text: lines.join(''), size };
  });
}

/** One line, and where it is stored; null when there is none with this number. */
type StoredLine = { text: string; offset: number; bytes: number; file: string };

export async function readStoredLine(ledgerFile: string, seq: number): Promise<StoredLine | null> {
  return withHistory(ledgerFile, async (history) => {
    const segment = history.segments.find(({ first, last }) => first <= seq && seq <= last);
    const from = segment?.start ?? offsetOfSeq(history.live, seq);
    for await (const raw of linesAfter(history, from)) {
      const found = seqOf(raw.bytes);
      if (found > seq) return null;
      if (found !== seq) continue;
      const file = basename(segment === undefined ? ledgerFile : segment.file);
      return { text: raw.bytes.toString('utf8'), offset: raw.start, bytes: raw.end - raw.start, file };
    }
    return null;
  });
}

/** The number of the first record that was written at `at` or later; infinite when there is none. */
export async function seqAtTime(ledgerFile: string, at: string): Promise<number> {
  const found = await withHistory(ledgerFile, async (history) => {
    for await (const raw of linesAfter(history, await offsetAtTime(history, at)))
      if ((timeOf(raw.bytes) ?? '') >= at) return seqOf(raw.bytes);
    return null;
  });
  return found ?? Number.POSITIVE_INFINITY;
}

/** Where to begin to read: the last segment that begins before the moment, or a place in the live file. */
async function offsetAtTime(history: History, at: string): Promise<number> {
  const { segments, live } = history;
  const isLaterThanLive = live.size > 0 && ((await firstTime(history, live.base)) ?? at) < at;
  if (segments.length === 0 || isLaterThanLive) return offsetOfTime(live, at);
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (((await firstTime(history, segments[middle]?.start ?? 0)) ?? at) < at) low = middle;
    else high = middle - 1;
  }
  return segments[low]?.start ?? 0;
}

async function firstTime(history: History, offset: number): Promise<string | null> {
  for await (const raw of linesAfter(history, offset)) return timeOf(raw.bytes);
  return null;
}

async function* linesAfter(history: History, offset: number): AsyncGenerator<RawLine> {
  for (const source of readLinesAfter(history, offset))
    for await (const lines of source) for (const raw of lines) if (raw.end > offset) yield raw;
}

async function withHistory<T>(ledgerFile: string, read: (history: History) => Promise<T>): Promise<T | null> {
  const history = openHistory(ledgerFile);
  if (history === null) return null;
  try {
    return await read(history);
  } finally {
    closeHistory(history);
  }
}
