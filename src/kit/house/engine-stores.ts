/** Owns: the stores of a home as the engine sees them. */
import { join } from 'node:path';
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import { openCache } from '../../core/ledger/cache.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import { openRunSnapshots } from '../../core/ledger/run-snapshots.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore, EventStore, MemoryStore, RunStore, StateStore } from '../../core/schema/ports.ts';
import { firstSeqOf, fleetRuns } from '../fleet/fleet-runs.ts';
import type { ProjectionsPort } from '../ports/port-types.ts';
import { runsFolder } from './stores.ts';

type EngineStores = NonNullable<EngineOptions['stores']>;

type StorePorts = {
  events: EventStore;
  artifacts: ArtifactStore;
  state: StateStore;
  taskGraph: () => TaskGraph;
  projections: ProjectionsPort;
};

export function engineStores(
  home: Home,
  { events, artifacts, state, taskGraph, projections }: StorePorts,
  memory: MemoryStore,
): EngineStores {
  return {
    events,
    artifacts,
    cache: openCache(join(home.oka, 'cache')),
    runs: currentSnapshots(openRunSnapshots(runsFolder(home)), projections),
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

/** A snapshot of a continuation that was lost to another member of a fleet is none of the run as it is now. */
function currentSnapshots(snapshots: RunStore, projections: ProjectionsPort): RunStore {
  return {
    save: (run, snapshot) => snapshots.save(run, snapshot),
    load: async (run) => {
      const snapshot = await snapshots.load(run);
      return snapshot !== null && snapshot.seq < firstSeqOf(projections.stateOf(fleetRuns), run) ? null : snapshot;
    },
  };
}
