/** Streams events from archive and live file, filtered, and follows a ledger that grows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OkaError } from '../schema/errors.ts';
import type { EventType, Line } from '../schema/event.ts';
import { upgradeLine } from '../schema/upgrade.ts';
import type { RawLine } from './chunks.ts';
import { closeHistory, type History, openHistory, readLinesAfter } from './history.ts';
import { parseLine } from './line.ts';
import { offsetOfSeq } from './seek.ts';

export type Filter = { from?: number; to?: number; run?: string; type?: EventType | `${string}.*` };

const POLL_MS = 200;

/** Events in order. An incomplete record at the end is left out; a damaged one before it is an error. */
export async function* readEvents(ledgerFile: string, filter: Filter = {}): AsyncGenerator<Line> {
  for await (const lines of readEventBatches(ledgerFile, filter)) yield* lines;
}

/** The same events in batches, which is far cheaper where there are many. */
export async function* readEventBatches(ledgerFile: string, filter: Filter = {}): AsyncGenerator<Line[]> {
  const history = openHistory(ledgerFile);
  if (history === null) return;
  try {
    yield* readBatches(history, ledgerFile, filter);
  } finally {
    closeHistory(history);
  }
}

/** Like `readEvents`, and then new events as they come, until the signal. Archiving may replace the live file meanwhile. */
export async function* followEvents(ledgerFile: string, filter: Filter, signal: AbortSignal): AsyncGenerator<Line> {
  let next = filter.from ?? 1;
  while (!signal.aborted) {
    for await (const line of readEvents(ledgerFile, { from: next })) {
      next = line.seq + 1;
      if (matches(line, filter)) yield line;
      if (filter.to !== undefined && line.seq >= filter.to) return;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The first batches are small, for callers that need only the first events. */
const SMALLEST_BATCH = 8;
const LARGEST_BATCH = 512;

async function* readBatches(history: History, ledgerFile: string, filter: Filter): AsyncGenerator<Line[]> {
  const first = filter.from ?? 1;
  const last = filter.to ?? Number.POSITIVE_INFINITY;
  let size = SMALLEST_BATCH;
  let lines: Line[] = [];
  try {
    for (const source of readLinesAfter(history, startOffset(history, first)))
      for await (const raws of source) {
        for (const raw of raws) {
          if (!raw.closed) continue;
          const line = parseRecord(raw, ledgerFile);
          if (line.seq > last) {
            if (lines.length > 0) yield lines;
            return;
          }
          if (line.seq >= first && matches(line, filter)) lines.push(upgradeLine(line));
          if (lines.length < size) continue;
          yield lines;
          lines = [];
          size = Math.min(LARGEST_BATCH, size * 2);
        }
        // A reader of a growing file must not wait for the next chunk.
        if (lines.length > 0) yield lines;
        lines = [];
      }
  } catch (error) {
    // Events before a record that cannot be read are still delivered.
    if (lines.length > 0) yield lines;
    throw error;
  }
}

function startOffset(history: History, first: number): number {
  const segment = history.segments.find((candidate) => candidate.last >= first);
  return segment === undefined ? offsetOfSeq(history.live, first) : segment.start;
}

function parseRecord(raw: RawLine, ledgerFile: string): Line {
  try {
    const line: unknown = parseLine(raw.bytes);
    if (line !== null && typeof line === 'object' && 'seq' in line && Number.isInteger(line.seq)) return line as Line;
    throw new Error('not a record');
  } catch (error) {
    throw new OkaError('ledger-damaged', `${ledgerFile}: the record at byte ${raw.start} cannot be read`, {
      fix: 'Run: oka verify',
      cause: error,
    });
  }
}

function matches(line: Line, { run, type }: Filter): boolean {
  if (run !== undefined && line.run !== run) return false;
  return type === undefined || line.type === type || (type.endsWith('.*') && line.type.startsWith(type.slice(0, -1)));
}
