/** Owns: putting the engine together. Neighbours on a floor are strangers; they meet here. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts';
import { openCache } from '../ledger/cache.ts';
import { openRuns } from '../ledger/runs.ts';
import type { Config } from '../schema/config.ts';
import type { ArtifactStore, EventStore } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import { filesTools } from '../tools/builtin/files.ts';
import { httpTools } from '../tools/builtin/http.ts';
import { humanTool } from '../tools/builtin/human.ts';
import { runTool } from '../tools/builtin/run.ts';
import { shellTool } from '../tools/builtin/shell.ts';
import { standardChain } from '../tools/chain.ts';
import { graphsIn } from './graphs.ts';
import { commandEnvironment, type Home } from './settings.ts';
import { runsFolder, type Stores } from './stores.ts';

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
    flush: (mine) => ledger.flush(mine),
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
