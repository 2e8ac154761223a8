/** Owns: the run ledger as the engine sees it: events of one run, found without searching history. */
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Event } from '../../core/schema/event.ts';
import type { EventStore } from '../../core/schema/ports.ts';
import type { LedgerPort, OnDurable } from '../ports/port-types.ts';

/** Where the latest runs begin is remembered, so that history is not searched for them. */
const MOST_REMEMBERED = 10_000;
/** Events of the latest runs are cached: a short task is read several times before its result is written. */
const MOST_CACHED = 2000;
/** A run with more events than this is not cached: they would only be moved about by the garbage collector. */
const MOST_OF_A_RUN = 256;

type RunEventsPorts = {
  ledger: Pick<LedgerPort, 'stage' | 'flush' | 'read'>;
  taskGraph: () => TaskGraph;
  onDurable: OnDurable;
  /** Before it, the ledger has another continuation of the run, which a member of a fleet has lost. */
  firstSeqOf: (run: string) => number;
};

export function runEvents({ ledger, taskGraph, onDurable, firstSeqOf }: RunEventsPorts): EventStore {
  const firstEvents = new Map<string, number>();
  const cache = latestRuns();
  onDurable((events) => {
    for (const event of events) {
      if (event.type === 'run.started' && event.run !== null) remember(event.run, event.seq);
      cache.add(event);
    }
  });
  const remember = (run: string, seq: number): void => {
    firstEvents.set(run, seq);
    const [oldest] = firstEvents.size > MOST_REMEMBERED ? firstEvents.keys() : [];
    if (oldest !== undefined) firstEvents.delete(oldest);
  };
  const firstOf = (run: string): number => {
    const { goals, ended } = taskGraph();
    return firstEvents.get(run) ?? [...ended, ...goals].findLast((goal) => goal.run === run)?.first ?? 1;
  };
  return {
    stage: (event) => ledger.stage(event),
    flush: (mine) => ledger.flush(mine),
    read: ({ run, from = 1 }) => {
      const first = Math.max(from, firstSeqOf(run));
      const cached = cache.eventsOf(run)?.filter(({ seq }) => seq >= first);
      return cached ?? ledger.read({ run, from: Math.max(first, firstOf(run)) });
    },
  };
}

/** All durable events of runs that have started in this process, unless they are many; the oldest runs go first. */
function latestRuns(): { add: (event: Event) => void; eventsOf: (run: string) => readonly Event[] | undefined } {
  const runs = new Map<string, Event[]>();
  let cached = 0;
  const drop = (run: string, length: number): void => {
    runs.delete(run);
    cached -= length;
  };
  return {
    add: (event) => {
      if (event.run === null) return;
      if (event.type === 'run.started' && !runs.has(event.run)) runs.set(event.run, []);
      const events = runs.get(event.run);
      if (events === undefined) return;
      events.push(event);
      cached += 1;
      if (events.length > MOST_OF_A_RUN) drop(event.run, events.length);
      for (const [run, { length }] of runs) {
        if (cached <= MOST_CACHED) return;
        drop(run, length);
      }
    },
    eventsOf: (run) => runs.get(run),
  };
}
