/** Owns: putting the engine together. Neighbours on a floor are strangers; they meet here. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts';
import { isOver, type OpenCall } from '../engine/run-state.ts';
import { maySendOn } from '../guard/egress.ts';
import { given, type GivenState } from '../guard/given.ts';
import { taskGraph } from '../graphs/task.ts';
import { openCache } from '../ledger/cache.ts';
import { lookAt } from '../ledger/disk.ts';
import { openRuns } from '../ledger/runs.ts';
import type { Models } from '../models/models.ts';
import { modelTool } from '../models/tool.ts';
import type { Config } from '../schema/config.ts';
import { messageOf } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { ArtifactStore, EventStore } from '../schema/ports.ts';
import type { TaskGiven } from '../schema/task-run.ts';
import type { Outcome, Tool } from '../schema/tool.ts';
import { filesTools } from '../tools/builtin/files.ts';
import { httpTools } from '../tools/builtin/http.ts';
import { humanTool } from '../tools/builtin/human.ts';
import { memoryTools } from '../tools/builtin/memory.ts';
import { runTool } from '../tools/builtin/run.ts';
import { type ShellOptions, shellTool, witnessed } from '../tools/builtin/shell.ts';
import { type ChainOptions, standardChain } from '../tools/chain.ts';
import { openShadow, type Shadow } from '../tools/desk/shadow.ts';
import { revealFrom } from '../tools/reveal.ts';
import { witnessOf } from '../tools/witness.ts';
import { classifierOf } from './guard/classified.ts';
import { type Deps, depsOf } from './deps/deps.ts';
import { keptAfterCrash, oneAtATime, onDesk, stepsOf } from './desk/desk.ts';
import { egressEvent } from './network/egress.ts';
import { graphsIn } from './home/graphs.ts';
import { guardOf } from './guard/guard.ts';
import { callsFolder, classWith, type Holding, holdingWith, launcherPath } from './guard/hold.ts';
import { tellingLater, type Untold, untoldIn } from './worker/late-results.ts';
import { rememberingIn } from './memory/memory.ts';
import { modelsOf } from './network/models.ts';
import type { LoadedPolicy } from './guard/policy.ts';
import { chooseFrom } from './task/procedures.ts';
import { type Roads, roadsOf } from './network/roads.ts';
import { commandEnvironment, type Home } from './settings.ts';
import { runsFolder, type Stores } from './stores.ts';
import { critiqueTool } from './task/critique.ts';
import { executor } from './task/executor.ts';
import { fitsProcedure } from './task/fits-procedure.ts';
import { planGraph } from './task/plan-graph.ts';
import { planTool } from './task/plan.ts';
import type { TaskPorts } from './task/ports.ts';
import { taskOf, writeResult } from './task/result.ts';
import { secretsIn } from './task/secrets-in.ts';
import { eventsWithChildren, undoFolder } from './desk/undo.ts';

export type Wired = {
  engine: Engine;
  shadow: Shadow;
  models: Models;
  deps: Deps;
  /** Writes the result of a task, as far as it has come; later, when it cannot be written now. */
  tellResult: (run: string) => Promise<void>;
  untold: Untold;
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
  const roads = roadsOf({
    home,
    policy: () => policy().policy,
    decided: (decided) => void ledger.stage(egressEvent(decided)),
    clock: Date.now,
  });
  const holding = holdingWith({ home, sandbox: config.sandbox, classify: classifierOf(home), wayOut: roads.steps });
  stores.whenDurable(holding.forget);
  const untold = untoldIn(join(home.oka, 'state', 'untold'));
  stores.whenDurable(untold.watch);
  const models = modelsOf(home, config, stores, roads.models);
  const deps: Deps = depsOf({ home, config, stores, policy, holding, engine: () => engine });
  const memory = rememberingIn(home, config, stores);
  const events = eventsOf(stores);
  const noted = (event: NewEvent & { run: string }): void => void engine.note(event.run, event);
  const acting: Tool[] = []; // known once the engine is made
  const tasks = taskPorts(acting);
  const engine: Engine = createEngine({
    ...engineOptions(
      home,
      config,
      artifacts,
      {
        startRun: (request) => engine.startChild(request.graph, request.input, request.call),
        hold: holding.hold,
        net: roads.tools,
        kept: (tools) =>
          onDesk(tools, shadow, append, inTurn, {
            waits: ({ run }) => rested('the disk is full: it waits for space', run),
            ground: holding.ground,
          }),
        further: (tools) => {
          acting.push(...tools);
          return [deps.tool, modelTool(models), ...memoryTools(memory.tools), planTool(tasks), critiqueTool(tasks)];
        },
      },
      { policy, ...answersIn(stores) },
      { ...secretsOf(stores), diagnose: deps.diagnose },
    ),
    planner: executor(modelOfRun, config.models.ask_again_seconds * 1000, ({ run, node, goal }, model) =>
      memory.pack({ role: 'executor', run, node, query: goal, model: idOf('executor', model) }, noted),
    ),
    graphs: graphsOf(home, artifacts),
    witness: (run, open) =>
      keptAfterCrash(
        shadow,
        append,
        inTurn,
        { run, ...open },
        {
          keptBefore: () => keptBefore(events, run, open.call),
          look: (before) => witnessIn(home, artifacts, open, before),
        },
      ),
    provide: deps.provide,
    atRest: async (run) => {
      await tellResult(run).catch((error: unknown) => tellLater(run.id, error));
      await deps.rested(run);
    },
    stores: {
      events,
      artifacts,
      cache: openCache(join(home.oka, 'cache')),
      runs: openRuns(runsFolder(home)),
      memory: memory.store,
    },
  });
  const tellResultOf = async (id: string): Promise<void> => {
    const run = await engine.stateOf(id);
    if (run !== null) await tellResult(run);
    else untold.told(id);
  };
  const late = tellingLater(tellResultOf);
  const tellLater = (id: string, error: unknown): void => {
    rested(`its result cannot be written yet: ${messageOf(error)}`, id);
    late.add(id);
  };
  return {
    tellResult: (id) => tellResultOf(id).catch((error: unknown) => tellLater(id, error)),
    untold,
    fitsProcedure: (run) => fitsProcedure(tasks, run),
    engine,
    shadow,
    models,
    deps,
    close: async () => {
      late.end();
      await memory.close();
      await roads.steps[Symbol.asyncDispose]();
    },
  };

  function taskPorts(tools: readonly Tool[]): TaskPorts {
    const ports: TaskPorts = {
      artifacts,
      clock: Date.now,
      askAgainMs: config.models.ask_again_seconds * 1000,
      model: (role, override) => models.for(role, override),
      tools: () => [...tools.filter(({ name }) => !NOT_FOR_PLANS.has(name)), ...memoryTools(memory.tools)],
      pack: (role, { run, node }, { title, fields }, about, given = []) =>
        memory.pack({ role, run, node, query: `${title}\n${about}`, model: idOf(role, fields.model), given }, noted),
      procedures: chooseFrom({
        ledger: home.ledgers.maintenance,
        settings: config.maintenance.procedures,
        tools: () => ports.tools(),
        hasPlanner: () => models.for('planner') !== null,
        clock: Date.now,
      }),
      lacking: deps.lacking,
      resultOf,
      stateOf: (run) => engine.stateOf(run),
      eventsOf: eventsOfRun,
      note: noted,
      secretsIn: (paths) => secretsIn(join(home.workspace, 'desk'), paths, stores.vault.redact),
      changedBy: async (runs) => {
        const events = (await Promise.all(runs.map(eventsOfRun))).flat();
        const { created, changed, removed } = shadow.changes(stepsOf(events, null));
        return [...created, ...changed, ...removed];
      },
    };
    return ports;
  }

  function idOf(role: 'planner' | 'executor' | 'critic', override: string | undefined): string | null {
    return models.for(role, override)?.id ?? null;
  }

  /** Whatever was staged is read, too. */
  async function eventsOfRun(run: string): Promise<Event[]> {
    await ledger.flush();
    return eventsWithChildren((id) => engine.eventsOf(id), run, 0);
  }

  /** Tasks may name a model of their own; their steps think with it. */
  async function modelOfRun(run: string): Promise<string | undefined> {
    const state = await engine.stateOf(run);
    const task = state === null ? null : await taskOf(state, engine);
    return task === null ? undefined : (task.input as unknown as TaskGiven).fields.model;
  }

  async function resultOf(run: string): Promise<string | null> {
    const file = join(home.workspace, 'outbox', run, 'RESULT.md');
    return lookAt(file)?.isFile() === true ? readFile(file, 'utf8') : null;
  }

  async function tellResult(run: Parameters<NonNullable<EngineOptions['atRest']>>[0]): Promise<void> {
    const isOfInterest = run.plan.graph.id === taskGraph.id || run.status === 'blocked';
    const task = isOfInterest ? await taskOf(run, engine) : null;
    if (task === null) return;
    const ports = { outbox: join(home.workspace, 'outbox'), artifacts, shadow, eventsOf: eventsOfRun };
    const file = await writeResult(task.id, { ...ports, stateOf: (id) => engine.stateOf(id) });
    if (isOver(task.status)) untold.told(task.id);
    if (file !== null && task.id === run.id) rested(file, run.id);
  }
}

/** A plan is made of what acts on the desk and the network; asking people and starting runs are no steps of it. */
const NOT_FOR_PLANS = new Set(['human.ask', 'run.start']);

/** Graphs of people, and those that were planned. */
function graphsOf(home: Home, artifacts: ArtifactStore): NonNullable<EngineOptions['graphs']> {
  const known = graphsIn(home);
  return async (id): Promise<Graph | undefined> => (await planGraph(id, artifacts)) ?? known(id);
}

type Kept = Extract<Event, { type: 'desk.kept' }>;

async function keptBefore(events: EventStore, run: string, call: string): Promise<Kept | null> {
  for await (const event of events.read({ run }))
    if (event.type === 'desk.kept' && event.data.call === call && event.data.when === 'before') return event;
  return null;
}

/** A command that was under way when the worker died was seen to its end by its launcher, or was not begun. */
async function witnessIn(
  home: Home,
  artifacts: ArtifactStore,
  { tool, call, input, class: effect }: OpenCall,
  before: Kept | null,
): Promise<Outcome | null> {
  if (tool !== 'shell') return null;
  const patienceMs = ((input as { timeout_seconds?: number }).timeout_seconds ?? 600) * 1000;
  const name = before?.data.ground;
  const ground = before === null || name === undefined ? null : { name, at: Date.parse(before.at) };
  const seen = await witnessOf(callsFolder(home), call, { launcher: launcherPath, patienceMs, ground });
  return seen === null || seen === 'running' ? null : witnessed(seen, input, effect, artifacts);
}

/** Values for single calls, each use on disk before the tool runs. */
function secretsOf({ vault, ledger }: Stores): Pick<ChainOptions, 'reveal' | 'redact'> {
  const record = (events: readonly NewEvent[]): Promise<unknown> => ledger.append(events);
  return { reveal: revealFrom({ find: vault.find, record }), redact: vault.redactCut };
}

/** What people have allowed; asked for in an attempt, everything that was written before it counts. */
function answersIn({ ledger, projections }: Stores): Pick<Rules, 'given' | 'known'> {
  const known = (): GivenState => projections.stateOf(given);
  return { known, given: async () => ledger.flush().then(known) };
}

/** How many runs it is remembered of where they begin. */
const MOST_REMEMBERED = 10_000;

/** The ledger as the engine sees it; it is remembered where runs begin, so that history is not searched for them. */
function eventsOf({ ledger, taskGraph: goalsOf, whenDurable }: Stores): EventStore {
  const begun = new Map<string, number>();
  whenDurable((events) => {
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

/** By what calls are judged. */
export type Rules = {
  policy: () => LoadedPolicy;
  given: () => Promise<GivenState>;
  known: () => GivenState;
};

/** What is done around the built-in tools. */
export type Around = {
  startRun: Parameters<typeof runTool>[0];
  hold?: Holding['hold'];
  net?: Roads['tools'];
  kept?: (tools: Tool[]) => Tool[];
  further?: (tools: readonly Tool[]) => Tool[];
};

/** Everything but the stores; what a simulation needs. */
export function engineOptions(
  home: Home,
  config: Config,
  artifacts: ArtifactStore,
  around: Around,
  rules: Rules,
  secrets: Pick<ChainOptions, 'reveal' | 'redact' | 'diagnose'> = {},
): EngineOptions {
  const desk = join(home.workspace, 'desk');
  const classify = classifierOf(home);
  const { hold, kept = (all) => all, further = () => [] } = around;
  const shell: Partial<ShellOptions> = {
    classify: classWith(classify),
    ...(hold === undefined ? {} : { hold }),
  };
  const sendOn = (host: string): boolean => maySendOn(rules.policy().policy, host);
  const acting = kept(builtInTools(desk, home, artifacts, around.startRun, shell, sendOn, around.net));
  const tools = [...acting, ...further(acting)];
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    after(ms, undefined, signal === undefined ? {} : { signal });
  const hooks = Object.fromEntries(
    Object.entries(config.hooks).map(([name, line]) => [name, { tool: 'shell', input: { line } }]),
  );
  const env = Object.keys(commandEnvironment(home));
  const guard = guardOf({ ...rules, tools, desk, env, classify, clock: Date.now });
  return {
    tools,
    clock: Date.now,
    sleep,
    hooks,
    graphs: graphsIn(home),
    middleware: standardChain({
      tools,
      clock: Date.now,
      sleep,
      cache: openCache(join(home.oka, 'cache')),
      limits: config.rate_limits,
      ...guard,
      ...secrets,
    }),
  };
}

/** The tools that act on a desk, which may be a scratch copy. */
export function builtInTools(
  desk: string,
  home: Home,
  artifacts: ArtifactStore,
  startRun: Parameters<typeof runTool>[0],
  shell: Partial<ShellOptions> = {},
  sendOn: (host: string) => boolean = () => false,
  net: Roads['tools'] = {},
): Tool[] {
  return [
    shellTool({ desk, env: commandEnvironment(home), artifacts, ...shell }),
    ...filesTools({ desk, artifacts }),
    // The host that a call names is judged with the call; one that a server names is judged here.
    ...httpTools({ ...net, artifacts, allowHost: (host, { hop }) => hop === 'asked' || sendOn(host) }),
    humanTool(),
    runTool(startRun),
  ];
}

/** What the engine has besides the tools that act on the desk. */
const FURTHER_TOOLS = ['deps.install', 'model.complete', 'memory.search', 'memory.note', 'task.plan', 'task.critique'];

/** Every tool that a graph, a rule or a secret may name. */
export function toolNames(home: Home): string[] {
  const nowhere: ArtifactStore = {
    put: () => Promise.reject(new Error('not here')),
    get: () => Promise.reject(new Error('not here')),
  };
  const noRuns = (): Promise<string> => Promise.reject(new Error('not here'));
  const builtIn = builtInTools(join(home.workspace, 'desk'), home, nowhere, noRuns).map((tool) => tool.name);
  return [...builtIn, ...FURTHER_TOOLS];
}
