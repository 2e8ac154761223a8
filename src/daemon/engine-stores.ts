/** Owns: the stores of a home as the engine sees them. */
import { join } from 'node:path';
import type { EngineOptions } from '../engine/engine-context.ts';
import { openCache } from '../ledger/cache.ts';
import type { TaskGraph } from '../ledger/task-graph.ts';
import { openRunSnapshots } from '../ledger/run-snapshots.ts';
import type { Home } from '../schema/home.ts';
import type { ArtifactStore, EventStore, MemoryStore, StateStore } from '../schema/ports.ts';
import { runsFolder } from './stores.ts';

type EngineStores = NonNullable<EngineOptions['stores']>;

type StorePorts = {
  events: EventStore;
  artifacts: ArtifactStore;
  state: StateStore;
  taskGraph: () => TaskGraph;
};

export function engineStores(
  home: Home,
  { events, artifacts, state, taskGraph }: StorePorts,
  memory: MemoryStore,
): EngineStores {
  return {
    events,
    artifacts,
    cache: openCache(join(home.oka, 'cache')),
    runs: openRunSnapshots(runsFolder(home)),
    memory,
    state,
    turns: {
      open: (key) =>
        taskGraph()
          .goals.filter(({ turn }) => turn?.key === key)
          .toSorted((a, b) => a.first - b.first)
          .map(({ run }) => run),
    },
  };
}
