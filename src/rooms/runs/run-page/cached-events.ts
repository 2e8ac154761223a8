/**
 * Owns: the events of the runs that people have open, so that each request reads only what is new.
 *
 * 1. What is cached equals the ledger: before events are added, the last cached one is read again and compared by its hash,
 *    since a ledger may be replaced by a backup.
 * 2. Bounded: the runs that were read longest ago are dropped first.
 */
import { readEventBatches } from '../../../core/ledger/read-events.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Line } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { firstEventOf, storedRun } from '../../../kit/views/run-rows.ts';

const MOST_EVENTS = 100_000;
const cached = new Map<string, Line[]>();

type Range = { from: number; to: number };

/** Where the events of a run are; refuses a name that no run has. */
export function rangeIn(rows: Rows, run: string): Range {
  const from = firstEventOf(rows, run);
  if (from === undefined)
    throw new OkaError('no-such-run', `there is no run "${run}"`, { fix: 'See the list of all runs.' });
  return { from, to: storedRun(rows, run)?.last ?? from };
}

export async function readRunEvents(home: Home, run: string, range: Range): Promise<readonly Line[]> {
  const key = `${home.ledgers.run}\n${run}`;
  const known = cached.get(key) ?? [];
  const fresh = await readFrom(home, run, { from: known.at(-1)?.seq ?? range.from, to: range.to });
  const isContinued = known.length > 0 && fresh[0]?.hash === known.at(-1)?.hash;
  const events = isContinued
    ? known.concat(fresh.slice(1))
    : known.length === 0
      ? fresh
      : await readFrom(home, run, range);
  cached.delete(key);
  cached.set(key, events);
  dropOldest();
  return events;
}

async function readFrom(home: Home, run: string, { from, to }: Range): Promise<Line[]> {
  const events: Line[] = [];
  for await (const batch of readEventBatches(home.ledgers.run, { run, from, to })) events.push(...batch);
  return events;
}

function dropOldest(): void {
  let count = [...cached.values()].reduce((sum, events) => sum + events.length, 0);
  for (const [key, events] of cached) {
    if (count <= MOST_EVENTS || cached.size === 1) return;
    cached.delete(key);
    count -= events.length;
  }
}
