/** Owns: what the ledger of a home has of the runs of its fleet: those that it owns, or owned last, with their events. */
import type { StoredEvent } from './servers/run-owner.ts';
import type { KnownRun } from './servers/refill-run.ts';
import { readEventBatches } from '../../core/ledger/read-events.ts';
import type { Line } from '../../core/schema/event.ts';
import { NOT_COPIED } from './take-over.ts';

export type LedgerRun = KnownRun & {
  /** Where its events begin and end: with its first claim here, or the one with which it was taken over. */
  first: number;
  last: number;
  /** The last copy of an event of the owner before; the stream has these as its events. */
  lastCopy: number;
  /** The last event that the stream should have from this home. */
  lastShared: number;
  isOver: boolean;
  /** Whether it was a task of this home, and its result is here. */
  isReturned: boolean;
};

/** In the order of their claims, without those that another member is known to own by now. */
export async function ledgerRuns(ledgerFile: string): Promise<LedgerRun[]> {
  const runs = new Map<string, LedgerRun>();
  for await (const lines of readEventBatches(ledgerFile)) for (const line of lines) applyLine(runs, line);
  return [...runs.values()];
}

function applyLine(runs: Map<string, LedgerRun>, { type, run, seq, data }: Line): void {
  if (run === null) return;
  if (type === 'run.claimed') applyClaim(runs, run, seq, data);
  if (type === 'run.fenced') runs.delete(run);
  const found = findTask(runs, run);
  if (found === undefined) return;
  if (run === found.run && type === 'task.returned') found.isReturned = true;
  if (found.isOver) return; // what is recorded about it later is no part of it
  found.last = seq;
  if (!NOT_COPIED.has(type) && seq > found.lastCopy) found.lastShared = seq;
  if (run === found.run && type === 'run.ended') found.isOver = true;
}

type Claimed = { epoch: number; from?: { copied: number } | undefined };

function applyClaim(runs: Map<string, LedgerRun>, run: string, seq: number, { epoch, from }: Claimed): void {
  const before = from === undefined ? runs.get(run) : undefined;
  const lastCopy = seq + (from?.copied ?? 0);
  const begun = { first: seq, last: seq, lastCopy, lastShared: 0, isOver: false, isReturned: false };
  runs.set(run, { ...(before ?? begun), run, epoch });
}

/** The task that a run is part of: its name begins with that of the task, and a dot. */
function findTask(runs: Map<string, LedgerRun>, run: string): LedgerRun | undefined {
  for (let end = run.length; end > 0; end = run.lastIndexOf('.', end - 1)) {
    const found = runs.get(run.slice(0, end));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All of a run that another member would copy. */
export async function sharedEvents(ledgerFile: string, { run, first, last }: LedgerRun): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const lines of readEventBatches(ledgerFile, { from: first, to: last }))
    for (const { seq, type, run: of, at, pen, cause, v, data } of lines)
      if (of !== null && (of === run || of.startsWith(`${run}.`)) && !NOT_COPIED.has(type))
        events.push({ seq, type, run: of, at, pen, cause, v, data });
  return events;
}
