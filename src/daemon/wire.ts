/** Owns: putting the engine together. Neighbours on a floor are strangers; they meet here. */
import { join } from 'node:path';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-context.ts';
import type { Models } from '../models/models.ts';
import { modelTool } from '../models/tool.ts';
import type { Config } from '../schema/config.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { ArtifactStore } from '../schema/ports.ts';
import { memoryTools } from '../tools/builtin/memory.ts';
import { openShadow, type Shadow } from '../tools/desk/shadow.ts';
import { type Deps, openDeps } from './deps/deps.ts';
import { oneAtATime, onDesk } from './desk/desk.ts';
import { undoFolder } from './desk/undo.ts';
import { witnessWith } from './desk/witness.ts';
import { type Around, engineOptions } from './engine-options.ts';
import { engineStores } from './engine-stores.ts';
import { classifierOf } from './guard/classifier.ts';
import { openSandbox } from './guard/sandbox.ts';
import type { LoadedPolicy } from './guard/policy-file.ts';
import { rulesOf, secretsOf } from './guard/from-stores.ts';
import { graphsIn } from './home/graph-files.ts';
import { openMemory } from './memory/open-memory.ts';
import { egressEvent } from './network/egress-access.ts';
import { modelsOf } from './network/home-models.ts';
import { egressRoutes } from './network/egress-routes.ts';
import type { Home } from '../schema/home.ts';
import type { Stores } from './stores.ts';
import { planGraph } from './task/plan-graph.ts';
import { reportResults } from './task/report-results.ts';
import { taskWiring } from './task/task-tools.ts';
import { type PendingResults, pendingResultsIn } from './worker/pending-results.ts';

export type Wired = {
  engine: Engine;
  shadow: Shadow;
  models: Models;
  deps: Deps;
  /** Writes the result of a task, as far as it has come; later, when it cannot be written now. */
  writeResult: (run: string) => Promise<void>;
  pendingResults: PendingResults;
  /** Whether a procedure could plan a task that has not been planned yet. */
  fitsProcedure: (run: string) => Promise<boolean>;
  /** Ends what was opened besides the engine. */
  close: () => Promise<void>;
};

/** The engine as the product builds it: built-in tools on the desk, the standard chain, every store. */
export function engineOver(
  home: Home,
  config: Config,
  stores: Stores,
  policy: () => LoadedPolicy,
  rested: (result: string, run: string) => void = () => undefined,
): Wired {
  const { ledger, artifacts } = stores;
  const shadow = openShadow({ store: undoFolder(home), desk: join(home.workspace, 'desk') });
  const inTurn = oneAtATime();
  const append = (event: NewEvent): Promise<unknown> => ledger.append(event);
  const roads = egressRoutes({
    home,
    policy: () => policy().policy,
    decided: (decided) => void ledger.stage(egressEvent(decided)),
    clock: Date.now,
  });
  const holding = openSandbox({ home, sandbox: config.sandbox, classify: classifierOf(home), egress: roads.steps });
  stores.onDurable(holding.forget);
  const untold = pendingResultsIn(join(home.oka, 'state', 'untold'));
  stores.onDurable(untold.watch);
  const models = modelsOf(home, config, stores, roads.models);
  const deps: Deps = openDeps({ home, config, stores, policy, holding, engine: () => engine });
  const memory = openMemory(home, config, stores);
  const asEngineSees = engineStores(home, stores, memory.store);
  const parts = { home, config, stores, artifacts, shadow, models, memory, deps, engine: () => engine, eventsOf };
  const tasks = taskWiring(parts);
  const results = reportResults({ ...parts, untold, heard: rested });
  const around: Around = {
    startRun: (request) => engine.startChild(request.graph, request.input, request.call),
    hold: holding.hold,
    net: roads.tools,
    kept: (tools) =>
      onDesk(tools, shadow, append, inTurn, {
        waits: ({ run }) => rested('the disk is full: it waits for space', run),
        ground: holding.ground,
      }),
    further: (acting) => [deps.tool, modelTool(models), ...memoryTools(memory.tools), ...tasks.tools(acting)],
  };
  const secrets = { ...secretsOf(stores), diagnose: deps.diagnose };
  const engine: Engine = createEngine({
    ...engineOptions(home, config, artifacts, around, rulesOf(stores, policy), secrets),
    planner: tasks.planner,
    graphs: graphsOf(home, artifacts),
    witness: witnessWith({ home, artifacts, events: asEngineSees.events, shadow, append, inTurn }),
    provide: deps.provide,
    atRest: async (run) => {
      await results.atRest(run);
      await deps.runSettled(run);
    },
    stores: asEngineSees,
  });
  return {
    engine,
    shadow,
    models,
    deps,
    pendingResults: untold,
    writeResult: results.tell,
    fitsProcedure: tasks.fitsProcedure,
    close: async () => {
      results.end();
      await memory.close();
      await roads.steps[Symbol.asyncDispose]();
    },
  };

  /** Whatever was staged is read, too. */
  async function eventsOf(run: string): Promise<Event[]> {
    await ledger.flush();
    return engine.eventsOf(run);
  }
}

/** Graphs of people, and those that were planned. */
function graphsOf(home: Home, artifacts: ArtifactStore): NonNullable<EngineOptions['graphs']> {
  const known = graphsIn(home);
  return async (id): Promise<Graph | undefined> => (await planGraph(id, artifacts)) ?? known(id);
}
