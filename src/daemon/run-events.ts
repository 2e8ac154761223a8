/** Owns: the run ledger as the engine sees it: events of one run, found without searching history. */
import type { TaskGraph } from '../ledger/task-graph.ts';
import type { EventStore } from '../schema/ports.ts';
import type { LedgerPort, OnDurable } from './port-types.ts';

/** Where the latest runs begin is remembered, so that history is not searched for them. */
const MOST_REMEMBERED = 10_000;

export type RunEventsPorts = {
  ledger: Pick<LedgerPort, 'stage' | 'flush' | 'read'>;
  taskGraph: () => TaskGraph;
  onDurable: OnDurable;
};

export function runEvents({ ledger, taskGraph, onDurable }: RunEventsPorts): EventStore {
  const firstEvents = new Map<string, number>();
  onDurable((events) => {
    for (const { type, run, seq } of events) if (type === 'run.started' && run !== null) firstEvents.set(run, seq);
    for (const run of firstEvents.keys()) if (firstEvents.size > MOST_REMEMBERED) firstEvents.delete(run);
  });
  const firstOf = (run: string): number => {
    const { goals, ended } = taskGraph();
    return firstEvents.get(run) ?? [...goals, ...ended].find((goal) => goal.run === run)?.first ?? 1;
  };
  return {
    stage: (event) => ledger.stage(event),
    flush: (mine) => ledger.flush(mine),
    read: ({ run, from = 1 }) => ledger.read({ run, from: Math.max(from, firstOf(run)) }),
  };
}
