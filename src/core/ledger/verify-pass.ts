/**
 * Verifies older records slowly: one pass over a complete ledger, archive included, that can be interrupted and resumed.
 * Opening a ledger checks only what follows the last snapshot; damage before it is found here.
 */
import { OkaError } from '../schema/errors.ts';
import { checkLink, type Fault } from './hash-chain.ts';
import type { RawLine } from './chunks.ts';
import { closeHistory, type History, openHistory, readLinesAfter } from './history.ts';
import { parseLine, type Position, prevOf, START, storedHashOf } from './line.ts';
import { positionEndingAt } from './seek.ts';

/** `run`: the run that the damaged record says it belongs to, as far as that can be read. */
export type FoundFault = Fault & { run: string | null };

type PassOptions = {
  /** Where an earlier pass stopped; it starts over when that place is no longer there. */
  from: Position;
  /** Offset of the last byte to verify: what is durable. */
  to: number;
  /** Called after every part that was read, with its size; waits as long as the next part has to wait. */
  pace: (bytes: number) => Promise<void>;
  /** Called with a place from which the pass can be resumed. */
  onPlace: (place: Position) => void;
  onFault: (fault: FoundFault) => void;
  signal: AbortSignal;
};

/** Faults beyond this are not reported one by one: the file is lost. */
const MOST_FAULTS = 100;

/** Resolves to whether the pass reached the end. */
export async function verifyPass(ledgerFile: string, options: PassOptions): Promise<boolean> {
  const history = openHistory(ledgerFile);
  if (history === null) return true;
  let end = placeIn(history, options.from);
  let [faults, paced] = [0, end.offset];
  const report = (fault: FoundFault, next: Position): void => {
    faults += 1;
    options.onFault(fault);
    end = next;
  };
  const check = (raw: RawLine): void => {
    const expected = end.hash === UNKNOWN ? { ...end, hash: prevOf(raw.bytes) } : end;
    const link = checkLink(raw, expected);
    if ('position' in link) end = link.position;
    else
      report(
        { ...link.fault, run: runNameIn(raw) },
        { seq: end.seq + 1, offset: raw.end, hash: storedHashOf(raw.bytes) },
      );
  };
  try {
    for (const { lines: source, whole } of sourcesAfter(history, end.offset)) {
      try {
        for await (const lines of source) {
          for (const raw of lines) {
            if (raw.end <= end.offset) continue;
            if (raw.end > options.to || (!raw.closed && raw.end === options.to) || faults >= MOST_FAULTS) return true;
            check(raw);
            if (whole === null || raw.end === whole.offset) options.onPlace(end);
          }
          await options.pace(end.offset - paced);
          paced = end.offset;
          if (options.signal.aborted) return false;
        }
      } catch (error) {
        if (!(error instanceof OkaError) || whole === null) throw error;
        report({ seq: end.seq + 1, offset: end.offset, reason: error.message, run: null }, whole);
        options.onPlace(end);
      }
    }
    return true;
  } finally {
    closeHistory(history);
  }
}

/** A hash that is not known: the record before could not be read. */
const UNKNOWN = '';

type Source = {
  lines: AsyncGenerator<RawLine[]>;
  /** The end of a segment, which can only be read from its start; null for the live file. */
  whole: Position | null;
};

function sourcesAfter(history: History, offset: number): Source[] {
  const segments = history.segments.filter(({ end }) => end > offset);
  return [...readLinesAfter(history, offset)].map((lines, index) => {
    const segment = segments[index];
    return { lines, whole: segment === undefined ? null : { seq: segment.last, offset: segment.end, hash: UNKNOWN } };
  });
}

/** The given place if the record there still matches it; segments are resumed at their first record. */
function placeIn({ segments, live }: History, from: Position): Position {
  if (from.offset <= live.base) return segments.some(({ end }) => end === from.offset) ? from : START;
  const found = positionEndingAt(live, from.offset);
  return found !== null && found.seq === from.seq && found.hash === from.hash ? from : START;
}

function runNameIn({ bytes, closed }: RawLine): string | null {
  try {
    return closed ? parseLine(bytes).run : null;
  } catch {
    return null; // a damaged line; verifying reports it
  }
}
