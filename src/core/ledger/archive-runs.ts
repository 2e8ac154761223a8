/**
 * Owns: moving the oldest finished runs out of the live file into compressed segments.
 *
 * V1 No run is split: every run before the cut has ended, and none continues after it.
 * V2 Nothing is removed from the live file before its segments are durable and the move is recorded in the ledger. After
 *    a crash in between both have it; the live file counts, and archiving again writes the same segments.
 * V3 The bytes of a record never change, so the chain can be verified from the first event to the last.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress as zstdCompressCallback } from 'node:zlib';
import type { Line } from '../schema/event.ts';
import { readChunks, splitLines, type RawLine } from './chunks.ts';
import { describeErrno, makeFolder, replaceFile, replaceFileAsync, syncFolder } from './disk.ts';
import { archiveFolder, closeHistory, openHistory, type Live, segmentName } from './history.ts';
import type { Ledger } from './ledger.ts';
import { parseLine, seqOf } from './line.ts';
import { offsetOfSeq } from './seek.ts';

const zstdCompress = promisify(zstdCompressCallback);

type Archived = { first: number; last: number; segments: { file: string; sha256: string }[] };

/** Returns what was moved, or null when no finished run is old enough. */
export async function archiveRuns(ledger: Ledger, before: Date, segmentBytes: number): Promise<Archived | null> {
  await ledger.flush();
  const history = openHistory(ledger.file);
  if (history === null) return null;
  try {
    const { live } = history;
    const span = await findFinishedPrefix(live, before);
    if (span === null) return null;
    const end = offsetOfSeq(live, span.last + 1);
    const archived = { ...span, segments: await writeSegments(live, end, ledger.file, segmentBytes) };
    await ledger.append({ type: 'ledger.archived', data: archived });
    await ledger.exchange(() => dropPrefix(ledger.file, end - live.base, end));
    return archived;
  } finally {
    closeHistory(history);
  }
}

type RunSpan = { first: number; last: number; over: boolean };

/** The longest prefix that may be archived (V1), as its first and last seq. */
async function findFinishedPrefix(live: Live, before: Date): Promise<{ first: number; last: number } | null> {
  const limit = before.toISOString();
  const runs = new Map<string, RunSpan>();
  let first = 0;
  let last = 0;
  let old = true;
  for await (const raw of readRecords(live, live.base + live.size)) {
    const line = parseLine(raw.bytes);
    first ||= line.seq;
    old &&= line.at < limit;
    if (old) last = line.seq;
    addToRunSpan(runs, line);
  }
  for (const run of [...runs.values()].toSorted((a, b) => b.first - a.first)) {
    if (run.first <= last && (!run.over || run.last > last)) last = run.first - 1;
  }
  return first > 0 && last >= first ? { first, last } : null;
}

function addToRunSpan(runs: Map<string, RunSpan>, line: Line): void {
  if (line.run === null) return;
  const run = runs.get(line.run) ?? { first: line.seq, last: line.seq, over: false };
  runs.set(line.run, { first: run.first, last: line.seq, over: run.over || line.type === 'run.ended' });
}

async function writeSegments(
  live: Live,
  end: number,
  ledgerFile: string,
  segmentBytes: number,
): Promise<Archived['segments']> {
  makeFolder(archiveFolder(ledgerFile));
  const segments: Archived['segments'] = [];
  let pending: RawLine[] = [];
  const write = async (): Promise<void> => {
    if (pending.length > 0) segments.push(await writeSegment(ledgerFile, pending));
    pending = [];
  };
  for await (const raw of readRecords(live, end)) {
    pending.push({ ...raw, bytes: Buffer.from(raw.bytes) });
    if (raw.end - (pending[0]?.start ?? raw.start) >= segmentBytes) await write();
  }
  await write();
  return segments;
}

async function writeSegment(ledgerFile: string, lines: readonly RawLine[]): Promise<Archived['segments'][number]> {
  const newline = Buffer.from('\n');
  const bytes = await zstdCompress(Buffer.concat(lines.flatMap((raw) => [raw.bytes, newline])));
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a segment must contain at least one record');
  const file = segmentName(ledgerFile, {
    first: seqOf(first.bytes),
    last: seqOf(last.bytes),
    start: first.start,
    end: last.end,
  });
  replaceFile(join(archiveFolder(ledgerFile), file), bytes, { durable: true });
  return { file, sha256: hash('sha256', bytes) };
}

/** Removes everything before byte `from` of the live file; returns the offset of its new first byte. */
async function dropPrefix(ledgerFile: string, from: number, base: number): Promise<number> {
  const fd = openSync(ledgerFile, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await replaceFileAsync(ledgerFile, readChunks(fd, from, Number.MAX_SAFE_INTEGER));
  } catch (error) {
    throw describeErrno(error, ledgerFile);
  } finally {
    closeSync(fd);
  }
  syncFolder(dirname(ledgerFile));
  return base;
}

async function* readRecords(live: Live, end: number): AsyncGenerator<RawLine> {
  for await (const lines of splitLines(readChunks(live.fd, 0, end - live.base), live.base)) yield* lines;
}
