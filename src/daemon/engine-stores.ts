/** Owns: the stores of a home as the engine sees them. */
import { join } from 'node:path';
import type { EngineOptions } from '../engine/engine-context.ts';
import { openCache } from '../ledger/cache.ts';
import { openRuns } from '../ledger/runs.ts';
import type { EventStore, MemoryStore } from '../schema/ports.ts';
import type { Home } from '../schema/home.ts';
import { runsFolder, type Stores } from './stores.ts';

type EngineStores = NonNullable<EngineOptions['stores']> & { events: EventStore };

export function engineStores(home: Home, stores: Stores, memory: MemoryStore): EngineStores {
  return {
    events: eventsOf(stores),
    artifacts: stores.artifacts,
    cache: openCache(join(home.oka, 'cache')),
    runs: openRuns(runsFolder(home)),
    memory,
  };
}

/** How many runs it is remembered of where they begin. */
const MOST_REMEMBERED = 10_000;

/** It is remembered where runs begin, so that history is not searched for them. */
function eventsOf({ ledger, taskGraph: goalsOf, onDurable }: Stores): EventStore {
  const begun = new Map<string, number>();
  onDurable((events) => {
    for (const { type, run, seq } of events) if (type === 'run.started' && run !== null) begun.set(run, seq);
    for (const run of begun.keys()) if (begun.size > MOST_REMEMBERED) begun.delete(run);
  });
  const firstOf = (run: string): number => {
    const { goals, ended } = goalsOf();
    return begun.get(run) ?? [...goals, ...ended].find((goal) => goal.run === run)?.first ?? 1;
  };
  return {
    stage: (event) => ledger.stage(event),
    flush: (mine) => ledger.flush(mine),
    read: ({ run, from = 1 }) => ledger.read({ run, from: Math.max(from, firstOf(run)) }),
  };
}
