/** Owns: taking a pen: the ledger of a home with its projections and artifacts. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { given } from '../guard/granted-approvals.ts';
import { knownTasks } from '../intake/known-tasks.ts';
import { receivedIntakes } from '../intake/received.ts';
import { openArtifacts } from '../ledger/artifacts.ts';
import { type Ledger, openLedger } from '../ledger/ledger.ts';
import { Projections } from '../ledger/projections.ts';
import { type TaskGraph, taskGraph } from '../ledger/task-graph.ts';
import type { Config } from '../schema/config.ts';
import type { Event, Pen } from '../schema/event.ts';
import type { ArtifactStore, Clock, Flush, Projection } from '../schema/ports.ts';
import { dependencies } from '../tools/deps/kept.ts';
import { renewOnWrite } from './home/renew-artifacts.ts';
import type { Home } from '../schema/home.ts';
import { type HomeVault, openHomeVault } from './guard/home-vault.ts';

export type Stores = {
  ledger: Ledger;
  projections: Projections;
  artifacts: ArtifactStore;
  taskGraph: () => TaskGraph;
  vault: HomeVault;
  /** Told of every batch once it is on disk. */
  onDurable: (listener: (events: readonly Event[]) => void) => void;
  close(): Promise<void>;
};
export type Swapped = { flush?: Flush; clock?: Clock };

const projectionsOf: Record<Pen, readonly Projection<unknown>[]> = {
  run: [taskGraph, receivedIntakes, knownTasks, given, dependencies],
  maintenance: [],
};

/** Takes a pen: ledger, its projections and the artifacts, ready to append. */
export async function openStores(home: Home, config: Config, pen: Pen = 'run', swapped: Swapped = {}): Promise<Stores> {
  return openWith(keptProjections(home, config, pen), home, config, pen, swapped);
}

/** Deletes the projections of a pen and makes them again from the first event on. */
export async function rebuildStores(
  home: Home,
  config: Config,
  pen: Pen,
): Promise<{ events: number; files: string[] }> {
  const projections = keptProjections(home, config, pen);
  projections.restart();
  const stores = await openWith(projections, home, config, pen, {});
  projections.erase();
  if (pen === 'run') rmSync(runsFolder(home), { recursive: true, force: true });
  const events = stores.ledger.end.seq;
  await stores.close();
  return { events, files: projectionsOf[pen].map((projection) => projection.file) };
}

async function openWith(
  projections: Projections,
  home: Home,
  config: Config,
  pen: Pen,
  swapped: Swapped,
): Promise<Stores> {
  const vault = await openHomeVault(home);
  const listeners: ((events: readonly Event[]) => void)[] = [];
  const ledger = await openLedger(home.ledgers[pen], pen, {
    ...swapped,
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
  projections.reached(ledger.end);
  return {
    ledger,
    projections,
    artifacts: renewOnWrite(openArtifacts(join(home.oka, 'artifacts'), vault.redactCut), join(home.oka, 'artifacts')),
    taskGraph: () => projections.stateOf(taskGraph),
    vault,
    onDurable: (listener) => void listeners.push(listener),
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

/** Snapshots of runs: derived like everything else. */
export function runsFolder(home: Home): string {
  return join(home.oka, 'state', 'runs');
}

function keptProjections(home: Home, config: Config, pen: Pen): Projections {
  return new Projections(home.oka, projectionsOf[pen], {
    events: config.ledger.snapshot_events,
    ms: config.ledger.snapshot_ms,
  });
}
