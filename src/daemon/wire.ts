/** Owns: putting the parts together. Neighbours on a floor are strangers; they meet here. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts';
import { redactShapes } from '../guard/redact.ts';
import { receivedIntakes } from '../intake/received.ts';
import { openArtifacts } from '../ledger/artifacts.ts';
import { openCache } from '../ledger/cache.ts';
import { openRuns } from '../ledger/runs.ts';
import { type Ledger, openLedger } from '../ledger/ledger.ts';
import { Projections } from '../ledger/projections.ts';
import { type TaskGraph, taskGraph } from '../ledger/task-graph.ts';
import type { Config } from '../schema/config.ts';
import type { Pen } from '../schema/event.ts';
import type { ArtifactStore, Clock, EventStore, Flush, Projection } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import { filesTools } from '../tools/builtin/files.ts';
import { httpTools } from '../tools/builtin/http.ts';
import { humanTool } from '../tools/builtin/human.ts';
import { runTool } from '../tools/builtin/run.ts';
import { shellTool } from '../tools/builtin/shell.ts';
import { standardChain } from '../tools/chain.ts';
import { graphsIn } from './graphs.ts';
import { commandEnvironment, type Home } from './settings.ts';

export type Stores = {
  ledger: Ledger;
  projections: Projections;
  artifacts: ArtifactStore;
  taskGraph: () => TaskGraph;
  close(): Promise<void>;
};
export type Swapped = { flush?: Flush; clock?: Clock };

const projectionsOf: Record<Pen, readonly Projection<unknown>[]> = {
  run: [taskGraph, receivedIntakes],
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
  const ledger = await openLedger(home.ledgers[pen], pen, {
    ...swapped,
    redact: redactShapes,
    reserveBytes: config.ledger.reserve_kb * 1024,
    from: projections.position,
    onRestart: () => projections.restart(),
    onLine: (line) => projections.apply(line),
    onBatch: (events, end) => projections.follow(events, end),
  });
  projections.reached(ledger.end);
  return {
    ledger,
    projections,
    artifacts: openArtifacts(join(home.oka, 'artifacts'), redactShapes),
    taskGraph: () => projections.stateOf(taskGraph),
    close: async () => {
      await ledger.flush();
      projections.save();
      await ledger.close();
    },
  };
}

/** Snapshots of runs: derived like everything else. */
function runsFolder(home: Home): string {
  return join(home.oka, 'state', 'runs');
}

function keptProjections(home: Home, config: Config, pen: Pen): Projections {
  return new Projections(home.oka, projectionsOf[pen], {
    events: config.ledger.snapshot_events,
    ms: config.ledger.snapshot_ms,
  });
}

/** The engine as the product builds it: built-in tools on the desk, the standard chain, every store. */
export function engineOver(home: Home, config: Config, stores: Stores): Engine {
  const engine: Engine = createEngine({
    ...engineOptions(home, config, stores.artifacts, (request) =>
      engine.startChild(request.graph, request.input, request.call),
    ),
    stores: {
      events: eventsOf(stores),
      artifacts: stores.artifacts,
      cache: openCache(join(home.oka, 'cache')),
      runs: openRuns(runsFolder(home)),
    },
  });
  return engine;
}

/** The ledger as the engine sees it; the task graph knows where a run begins, so that history is not searched for it. */
function eventsOf({ ledger, taskGraph }: Stores): EventStore {
  const firstOf = (run: string): number => {
    const { goals, ended } = taskGraph();
    return [...goals, ...ended].find((goal) => goal.run === run)?.first ?? 1;
  };
  return {
    stage: (event) => ledger.stage(event),
    flush: () => ledger.flush(),
    read: ({ run, from = 1 }) => ledger.read({ run, from: Math.max(from, firstOf(run)) }),
  };
}

/** Everything but the stores; what a simulation needs. */
export function engineOptions(
  home: Home,
  config: Config,
  artifacts: ArtifactStore,
  startRun: Parameters<typeof runTool>[0],
): EngineOptions {
  const tools = builtInTools(join(home.workspace, 'desk'), home, artifacts, startRun);
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    after(ms, undefined, signal === undefined ? {} : { signal });
  const hooks = Object.fromEntries(
    Object.entries(config.hooks).map(([name, line]) => [name, { tool: 'shell', input: { line } }]),
  );
  const cache = openCache(join(home.oka, 'cache'));
  return {
    tools,
    clock: Date.now,
    sleep,
    hooks,
    graphs: graphsIn(home),
    middleware: standardChain({ tools, clock: Date.now, sleep, cache, limits: config.rate_limits }),
  };
}

/** The tools that act on a desk, which may be a scratch copy. */
export function builtInTools(
  desk: string,
  home: Home,
  artifacts: ArtifactStore,
  startRun: Parameters<typeof runTool>[0],
): Tool[] {
  return [
    shellTool({ desk, env: commandEnvironment(home), artifacts }),
    ...filesTools({ desk, artifacts }),
    ...httpTools({ artifacts }),
    humanTool(),
    runTool(startRun),
  ];
}

export function toolNames(home: Home): string[] {
  const nowhere: ArtifactStore = {
    put: () => Promise.reject(new Error('not here')),
    get: () => Promise.reject(new Error('not here')),
  };
  return builtInTools(join(home.workspace, 'desk'), home, nowhere, () => Promise.reject(new Error('not here'))).map(
    (tool) => tool.name,
  );
}
