/** Owns: taking a pen: the ledger of a home with the projections that rooms contribute, and its artifacts. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Rollback } from '../../core/ledger/anchor.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { type Ledger, openLedger } from '../../core/ledger/ledger.ts';
import { SHARED_FILE } from '../../core/ledger/projection-files.ts';
import { Projections } from '../../core/ledger/projections.ts';
import { type TaskGraph, taskGraph } from '../../core/ledger/task-graph.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Event, Pen } from '../../core/schema/event.ts';
import type { LastRecord } from '../../core/schema/room.ts';
import type { ArtifactStore, Clock, EventStore, Flush, Projection, StateStore } from '../../core/schema/ports.ts';
import { type BoundPort, bindPort } from './open-rooms.ts';
import type { FencedStores } from '../ports/fleet-port.ts';
import type { OnDurable } from '../ports/port-types.ts';
import { ports } from '../ports/room-ports.ts';
import { type HouseRoom, roomsOf } from './house.ts';
import { firstSeqOf, fleetRuns } from '../fleet/fleet-runs.ts';
import { runEvents } from './run-events.ts';
import { stagedState } from './staged-state.ts';
import { openAnchors } from '../home/home-anchors.ts';
import { renewOnWrite } from '../home/renew-artifacts.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HomeVault, openHomeVault } from '../vault/home-vault.ts';

export type Stores = {
  ledger: Ledger;
  projections: Projections;
  artifacts: ArtifactStore;
  taskGraph: () => TaskGraph;
  vault: HomeVault;
  /** Calls the listener with every batch once it is on disk. */
  onDurable: OnDurable;
  /** The ledger as the engine sees it. */
  events: EventStore;
  /** What graphs remember. */
  state: StateStore;
  close(): Promise<void>;
};
export type StoreOverrides = {
  flush?: Flush;
  clock?: Clock;
  rooms?: readonly HouseRoom[];
  isBrief?: boolean;
  isQuiet?: boolean;
  acceptRollback?: (rollback: Rollback) => void;
};

/**
 * The stores as ports: whoever needs one of them names it, and is not handed the rest. `fenced` replaces those that a
 * member of a fleet has behind its fence.
 */
export function storePorts(home: Home, stores: Stores, fenced: FencedStores | null = null): BoundPort[] {
  const { projections, state, taskGraph: goals, vault, onDurable } = stores;
  const { ledger, events, artifacts } = fenced ?? stores;
  return [
    bindPort(ports.home, home),
    bindPort(ports.ledger, ledger),
    bindPort(ports.liveLedger, stores.ledger),
    bindPort(ports.events, events),
    bindPort(ports.artifacts, artifacts),
    bindPort(ports.projections, projections),
    bindPort(ports.state, state),
    bindPort(ports.taskGraph, goals),
    bindPort(ports.vault, vault),
    bindPort(ports.onDurable, onDurable),
  ];
}

/** Only the run ledger has projections; what maintenance folds is in its own store. */
async function projectionsOf(pen: Pen, given?: readonly HouseRoom[]): Promise<readonly Projection<unknown>[]> {
  if (pen !== 'run') return [];
  const list = await roomsOf(given);
  return (await Promise.all(list.map(async (room) => (await room.projections?.()) ?? []))).flat();
}

/** Takes a pen: ledger, its projections and the artifacts, ready to append. */
export async function openStores(
  home: Home,
  config: Config,
  pen: Pen = 'run',
  overrides: StoreOverrides = {},
): Promise<Stores> {
  return openWith(await openProjections(home, config, pen, overrides.rooms), home, config, pen, overrides);
}

/** Deletes the projections of a pen and makes them again from the first event on. */
export async function rebuildStores(
  home: Home,
  config: Config,
  pen: Pen,
): Promise<{ events: number; files: string[] }> {
  const projections = await openProjections(home, config, pen);
  projections.restart();
  const stores = await openWith(projections, home, config, pen, { isBrief: true });
  projections.deleteFiles();
  if (pen === 'run') rmSync(runsFolder(home), { recursive: true, force: true });
  const events = stores.ledger.end.seq;
  if (pen === 'run') {
    await (await import('./open-views.ts')).rebuildViews(home);
    for (const room of await roomsOf()) await room.rebuild?.(home);
  }
  await stores.close();
  const files = (await projectionsOf(pen)).map(({ file }) => file ?? SHARED_FILE);
  return { events, files: [...new Set(files)] };
}

async function openWith(
  projections: Projections,
  home: Home,
  config: Config,
  pen: Pen,
  overrides: StoreOverrides,
): Promise<Stores> {
  const vault = await openHomeVault(home, config.credentials);
  const { rooms: _, ...options } = overrides;
  const listeners = new Set<(events: readonly Event[]) => void>();
  const onDurable: OnDurable = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const snapshot = projections.position.seq > 0 ? projections.position : null;
  const anchors = await openAnchors(home, pen, snapshot, async () =>
    pen === 'run' ? lastRecordElsewhere(home, config, overrides.rooms) : null,
  );
  const ledger = await openLedger(home.ledgers[pen], pen, {
    ...options,
    anchors,
    redact: vault.redact,
    reserveBytes: config.ledger.reserve_kb * 1024,
    from: projections.position,
    onRestart: () => projections.restart(),
    onLine: (line) => projections.apply(line),
    onBatch: (events, end) => {
      projections.follow(events, end);
      for (const listener of listeners) listener(events);
    },
  });
  projections.setPosition(ledger.end);
  const taskGraphNow = (): TaskGraph => projections.stateOf(taskGraph);
  return {
    ledger,
    projections,
    artifacts: renewOnWrite(openArtifacts(join(home.oka, 'artifacts'), vault.redactCut), join(home.oka, 'artifacts')),
    taskGraph: taskGraphNow,
    vault,
    onDurable,
    events: runEvents({
      ledger,
      taskGraph: taskGraphNow,
      onDurable,
      firstSeqOf: (run) => (pen === 'run' ? firstSeqOf(projections.stateOf(fleetRuns), run) : 1),
    }),
    state: stagedState({ projections, onDurable, ledger }),
    close: async () => {
      try {
        await ledger.flush();
        projections.save();
      } finally {
        await ledger.close();
      }
    },
  };
}

async function lastRecordElsewhere(
  home: Home,
  config: Config,
  given?: readonly HouseRoom[],
): Promise<LastRecord | null> {
  const asked = (await roomsOf(given)).map(async ({ lastRecord }) => (await lastRecord?.(home, config)) ?? null);
  return (await Promise.all(asked)).find((record) => record !== null) ?? null;
}

/** Snapshots of runs: derived like everything else. */
export function runsFolder(home: Home): string {
  return join(home.oka, 'state', 'runs');
}

async function openProjections(
  home: Home,
  config: Config,
  pen: Pen,
  list?: readonly HouseRoom[],
): Promise<Projections> {
  return new Projections(home.oka, await projectionsOf(pen, list), {
    events: config.ledger.snapshot_events,
    ms: config.ledger.snapshot_ms,
  });
}
