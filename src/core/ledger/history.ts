/**
 * Owns: a complete ledger as one sequence of records: archive segments first, then the live file.
 * Offsets count from the first event ever, so they stay valid when a prefix moves into the archive.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, messageOf, OkaError } from '../schema/errors.ts';
import { type Fault, checkLink, provesDamage } from './hash-chain.ts';
import { readChunks, splitLines, type RawLine } from './chunks.ts';
import { assertRegularFile, describeErrno, listFolder } from './disk.ts';
import { type Position, seqOf } from './line.ts';

type Segment = { file: string; first: number; last: number; start: number; end: number };
export type Live = { fd: number; base: number; size: number };
export type History = { segments: Segment[]; live: Live };

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a ledger for reading; null when there is no live file. */
export function openHistory(ledgerFile: string): History | null {
  const fd = openForReading(ledgerFile);
  return fd === null ? null : historyOf(ledgerFile, fd);
}

export function historyOf(ledgerFile: string, fd: number): History {
  const segments = segmentsLeadingTo(firstSeqOf(fd), listSegments(ledgerFile));
  return { segments, live: { fd, base: segments.at(-1)?.end ?? 0, size: fstatSync(fd).size } };
}

/**
 * The segments that lead up to the live file without a gap. Interrupted archiving may have left others with different
 * boundaries; each has its own predecessors, so going back from the end always finds an unbroken sequence.
 */
function segmentsLeadingTo(firstSeq: number, segments: readonly Segment[]): Segment[] {
  const byLast = new Map(segments.map((segment) => [segment.last, segment]));
  const found: Segment[] = [];
  let last = Number.isNaN(firstSeq) ? Math.max(0, ...byLast.keys()) : firstSeq - 1;
  for (let segment = byLast.get(last); segment && segment.first <= last; segment = byLast.get(last)) {
    found.unshift(segment);
    last = segment.first - 1;
  }
  return found;
}

export function closeHistory(history: History): void {
  closeSync(history.live.fd);
}

/** Follows the chain after `from` and visits every valid record, up to the end or the first fault. */
export async function walkChain(
  history: History,
  from: Position,
  visit: (raw: RawLine) => void,
): Promise<{ end: Position; fault: Fault | null }> {
  let end = from;
  for (const source of readLinesAfter(history, from.offset)) {
    try {
      for await (const lines of source) {
        for (const raw of lines) {
          if (raw.end <= from.offset) continue;
          const link = checkLink(raw, end);
          if ('fault' in link) return { end, fault: link.fault };
          visit(raw);
          end = link.position;
        }
      }
    } catch (error) {
      if (!(error instanceof UnreadableSegment)) throw error;
      return { end, fault: { seq: end.seq + 1, offset: end.offset, reason: error.message } };
    }
  }
  return { end, fault: null };
}

/** Whether a fault can be the torn end of an unacknowledged batch (L1). */
export async function isTornEnd(history: History, fault: Fault): Promise<boolean> {
  const { fd, base, size } = history.live;
  if (fault.offset < base) return false;
  for await (const lines of splitLines(readChunks(fd, fault.offset - base, size), fault.offset)) {
    if (lines.some((raw) => provesDamage(raw, fault))) return false;
  }
  return true;
}

/** The lines of each segment and of the live file that extend beyond an offset. */
export function* readLinesAfter(history: History, offset: number): Generator<AsyncGenerator<RawLine[]>> {
  for (const segment of history.segments) if (segment.end > offset) yield readSegment(segment);
  const { fd, base, size } = history.live;
  const start = Math.max(base, offset);
  yield splitLines(readChunks(fd, start - base, size), start);
}

async function* readSegment(segment: Segment): AsyncGenerator<RawLine[]> {
  const [{ createReadStream }, { pipeline }, { createZstdDecompress }] = await Promise.all([
    import('node:fs'),
    import('node:stream'),
    import('node:zlib'),
  ]);
  const plain = createZstdDecompress();
  pipeline(createReadStream(segment.file), plain, () => undefined);
  try {
    yield* splitLines(plain, segment.start);
  } catch (error) {
    throw new UnreadableSegment('ledger-damaged', `${segment.file} cannot be read: ${messageOf(error)}`, {
      fix: 'Restore it from a backup or replica.',
      cause: error,
    });
  }
}

/** A segment that cannot be decompressed; readers treat it like any other damage. */
class UnreadableSegment extends OkaError {}

export function archiveFolder(ledgerFile: string): string {
  return join(dirname(ledgerFile), 'archive');
}

/** The name contains the range: `run_ledger.000000000001-000000012345.0-9876543.jsonl.zst` (seqs, then byte offsets). */
export function segmentName(ledgerFile: string, range: Omit<Segment, 'file'>): string {
  const wide = (seq: number): string => String(seq).padStart(12, '0');
  return `${basename(ledgerFile, '.jsonl')}.${wide(range.first)}-${wide(range.last)}.${range.start}-${range.end}.jsonl.zst`;
}

function listSegments(ledgerFile: string): Segment[] {
  const folder = archiveFolder(ledgerFile);
  const prefix = `${basename(ledgerFile, '.jsonl')}.`;
  const found: Segment[] = [];
  for (const name of listFolder(folder)) {
    const match = name.startsWith(prefix)
      ? /^(\d+)-(\d+)\.(\d+)-(\d+)\.jsonl\.zst$/.exec(name.slice(prefix.length))
      : null;
    if (match === null) continue;
    const [first = 0, last = 0, start = 0, end = 0] = match.slice(1).map(Number);
    found.push({ file: join(folder, name), first, last, start, end });
  }
  return found.toSorted((a, b) => a.first - b.first || b.last - a.last);
}

function openForReading(file: string): number | null {
  assertRegularFile(file);
  try {
    return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw describeErrno(error, file);
  }
}

function firstSeqOf(fd: number): number {
  const head = Buffer.alloc(32);
  return seqOf(head.subarray(0, readSync(fd, head, 0, head.length, 0)));
}
