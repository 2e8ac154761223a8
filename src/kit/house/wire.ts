/**
 * Owns: the engine of a home, made out of what its rooms contribute; and the requests that rooms handle.
 * Does not own: which rooms there are (rooms.ts), the order in which they open (open-rooms.ts).
 *
 * Rooms ask the engine for runs, and the engine is made out of what they contribute. This knot is tied here and nowhere
 * else: rooms get `runs`, which answers once everything is open. The registry of tools is there first; a room whose tools
 * come and go adds and removes them itself.
 */
import { createEngine, type Engine } from '../../core/engine/engine.ts';
import type { EngineOptions, Hold } from '../../core/engine/engine-context.ts';
import type { OpenCall, RunState } from '../../core/engine/run-state.ts';
import { type ChangingTools, toolRegistry } from '../../core/engine/tool-registry.ts';
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { Config } from '../../core/schema/config.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { ArtifactStore, ExecutionBackend, ToolRegistry } from '../../core/schema/ports.ts';
import type { Handled, IntakeHandlers } from '../../core/schema/room.ts';
import type { Outcome, Tool } from '../../core/schema/tool.ts';
import { engineOptions } from './engine-options.ts';
import { engineStores } from './engine-stores.ts';
import type { FleetPort } from '../ports/fleet-port.ts';
import { rulesOf, secretsOf } from '../policy/call-rules.ts';
import { assertOwned, assertRequestOwned, mustAwaitFleet, wasHandledElsewhere } from '../fleet/assert-owned.ts';
import { exceptTakenOver } from '../fleet/taken-over-calls.ts';
import { graphsIn } from '../graphs/graph-files.ts';
import { localBackend, slotsOf } from './local-backend.ts';
import { modelProviders, nodeKinds } from './room-contributions.ts';
import { type BoundPort, bindPort, openRooms, type OpenRooms } from './open-rooms.ts';
import type { LedgerPort, Runs } from '../ports/port-types.ts';
import { ports } from '../ports/room-ports.ts';
import { configPorts } from './room-config.ts';
import { type HouseRoom, roomsOf } from './house.ts';
import { readPlanGraph } from '../task/plan-graph.ts';
import { tidy } from './tidy.ts';
import { viewFolds } from './open-views.ts';

export type OpenHome = {
  engine: Engine;
  backend: ExecutionBackend;
  /** Does what a request asks for. Returns what it has set going, if anything. */
  handle: (intake: Intake) => Promise<Handled>;
  /** Whether a request has to wait until this member of a fleet has claimed the run that it is about. */
  mustAwaitFleet: (request: { id: string; intake: Intake; take: () => boolean }) => boolean;
  refresh: () => Promise<void>;
  poll: (state: { isStopped: boolean }) => Promise<void>;
  valuesOf: OpenRooms<RunState>['valuesOf'];
  close: () => Promise<void>;
};

type OpenHomeOptions = {
  /** Reports to a person the outcome of a task, and the file of its result. */
  reportResult?: (line: string, file: string) => void;
  /** Reports a problem of a run to a person. */
  reportRun?: (text: string, run: string) => void;
  rooms?: readonly HouseRoom[];
  /** This home as a member of a fleet. */
  fleet?: FleetPort | null;
  hold?: Hold;
};

/** Opens the rooms of a home over the ports of its stores, and makes the engine out of them. */
export async function openHome(
  config: Config,
  stores: readonly BoundPort[],
  {
    reportRun = () => undefined,
    reportResult = () => undefined,
    rooms: given,
    fleet = null,
    hold,
  }: OpenHomeOptions = {},
): Promise<OpenHome> {
  const list = await roomsOf(given);
  const late = lateRuns((run) => assertOwned(opened.valueOf(ports.projections), fleet, run));
  const backend = localBackend(late.runs, slotsOf(config));
  const tools = toolRegistry();
  const kinds = await nodeKinds(list);
  const opened = await openRooms(list, [
    ...stores,
    bindPort(ports.config, config),
    ...(await configPorts(config, list)),
    bindPort(ports.reportRun, reportRun),
    bindPort(ports.reportResult, reportResult),
    bindPort(ports.tidy, (tidying) => tidy(tidying, list)),
    bindPort(ports.viewFolds, () => viewFolds(list)),
    bindPort(ports.providers, await modelProviders(list)),
    bindPort(ports.nodeKinds, kinds),
    bindPort(ports.runs, late.runs),
    bindPort(ports.backend, backend),
    bindPort(ports.fleet, fleet),
    bindPort(ports.tools, tools),
  ]);
  for (const { name, opened: room } of opened.rooms) addTools(tools, name, room.tools ?? []);
  const engine = createEngine({ ...optionsFor(opened, tools, kinds), ...(hold !== undefined && { hold }) });
  late.bind(engine, opened.valueOf(ports.ledger));
  const handlers = handlersOf(opened);
  const projections = opened.valueOf(ports.projections);
  return {
    engine,
    backend,
    handle: async (intake) => {
      if (wasHandledElsewhere(fleet, intake)) return null;
      assertRequestOwned(projections, fleet, intake);
      return handlerFor(handlers, intake)(intake);
    },
    mustAwaitFleet: (request) => mustAwaitFleet(projections, fleet, request),
    refresh: async () => {
      for (const { opened: room } of opened.rooms) await room.refresh?.();
    },
    poll: async (state) => {
      for (const { opened: room } of opened.rooms) await room.poll?.(state);
    },
    valuesOf: opened.valuesOf,
    close: opened.close,
  };
}

/** What the engine is made of, besides tools. */
const NEEDED = {
  home: ports.home,
  config: ports.config,
  ledger: ports.ledger,
  events: ports.events,
  artifacts: ports.artifacts,
  projections: ports.projections,
  state: ports.state,
  taskGraph: ports.taskGraph,
  vault: ports.vault,
  policy: ports.policy,
  dayBudget: ports.dayBudget,
  deps: ports.deps,
  memory: ports.memory,
  planner: ports.planner,
  replyPlanner: ports.replyPlanner,
  witness: ports.witness,
  runs: ports.runs,
  fleet: ports.fleet,
};

/** A tool that cannot say how a call ended leaves it in doubt, which a person settles. */
async function askTool(tools: ToolRegistry, run: string, open: OpenCall): Promise<Outcome | null> {
  try {
    return (await tools.get(open.tool)?.witness?.({ ...open, run })) ?? null;
  } catch {
    return null; // its server cannot be reached, say
  }
}

function optionsFor(
  { rooms: opened, valuesOf }: OpenRooms<RunState>,
  tools: ToolRegistry,
  kinds: readonly NodeKind[],
): EngineOptions {
  const needed = valuesOf(NEEDED);
  const { home, config, artifacts, policy, dayBudget, deps, memory, planner, replyPlanner, runs, projections } = needed;
  const seen: NonNullable<EngineOptions['witness']> = async (run, open) =>
    (await needed.witness(run, open)) ?? askTool(tools, run, open);
  const parentOf = async (run: string): Promise<string | null> => {
    const state = await runs.stateOf(run);
    return state?.parent ?? state?.link?.run ?? null;
  };
  const chain = {
    ...secretsOf(needed, parentOf),
    diagnose: deps.diagnose,
    reserveDayBudget: dayBudget.reserve,
    ...(needed.fleet !== null && { takePlaces: needed.fleet.rates.take, claims: needed.fleet.claims }),
  };
  return {
    ...engineOptions(home, config, tools, rulesOf(needed, policy), chain),
    planner: {
      decide: (input, act) => (noticeOfRun(input.run) === null ? planner : replyPlanner).decide(input, act),
    },
    graphs: graphsOf(home, artifacts, kinds),
    witness: needed.fleet === null ? seen : exceptTakenOver(seen, projections),
    provide: (run, wait) => {
      for (const { opened: room } of opened) {
        const provided = room.provide?.(run, wait) ?? null;
        if (provided !== null) return provided;
      }
      return null;
    },
    runSettled: async (run) => {
      for (const { opened: room } of opened) await room.runSettled?.(run);
    },
    stores: engineStores(home, needed, memory.store),
  };
}

/** The engine as rooms see it before it exists. */
function lateRuns(assertMayDrive: (run: string) => void): {
  runs: Runs;
  bind: (engine: Engine, ledger: Pick<LedgerPort, 'flush'>) => void;
} {
  let bound: { engine: Engine; ledger: Pick<LedgerPort, 'flush'> } | null = null;
  const both = (): NonNullable<typeof bound> => {
    if (bound === null) throw new OkaError('refused', 'a room used the engine while rooms were still being opened');
    return bound;
  };
  const engine = (): Engine => both().engine;
  return {
    runs: {
      start: (...all) => engine().start(...all),
      startChild: (...all) => engine().startChild(...all),
      startLinked: (...all) => engine().startLinked(...all),
      nodeStart: (...all) => engine().nodeStart(...all),
      resume: async (run, ...rest) => {
        assertMayDrive(run);
        return engine().resume(run, ...rest);
      },
      answer: async (run, ...rest) => {
        assertMayDrive(run);
        return engine().answer(run, ...rest);
      },
      note: (...all) => engine().note(...all),
      stop: (...all) => engine().stop(...all),
      stateOf: (...all) => engine().stateOf(...all),
      post: (...all) => engine().post(...all),
      whenSettled: (...all) => engine().whenSettled(...all),
      activeRuns: () => engine().activeRuns(),
      /** What is staged is read, too. */
      eventsOf: async (run) => {
        await both().ledger.flush();
        return engine().eventsOf(run);
      },
    },
    bind: (made, ledger) => void (bound = { engine: made, ledger }),
  };
}

function addTools(registry: ChangingTools, room: string, tools: readonly Tool[]): void {
  const taken = tools.find(({ name }) => registry.get(name) !== undefined);
  if (taken !== undefined)
    throw new OkaError('refused', `the room ${room} has a tool whose name is taken: "${taken.name}"`);
  registry.add(tools);
}

function handlersOf({ rooms: opened }: OpenRooms<RunState>): IntakeHandlers {
  const owners = new Map<string, string>();
  for (const { name, opened: room } of opened)
    for (const kind of Object.keys(room.intakes ?? {})) {
      const other = owners.get(kind);
      if (other !== undefined)
        throw new OkaError('refused', `the rooms ${other} and ${name} both handle the request "${kind}"`);
      owners.set(kind, name);
    }
  return Object.assign({}, ...opened.map(({ opened: { intakes } }) => intakes)) as IntakeHandlers;
}

function handlerFor(handlers: IntakeHandlers, { kind }: Intake): (intake: Intake) => Promise<Handled> {
  const handler = handlers[kind];
  if (handler === undefined) throw new OkaError('refused', `no room handles the request "${kind}"`);
  return handler as (intake: Intake) => Promise<Handled>;
}

/** Graphs of people, and those that were planned. */
function graphsOf(
  home: Home,
  artifacts: ArtifactStore,
  kinds: readonly NodeKind[],
): NonNullable<EngineOptions['graphs']> {
  const known = graphsIn(home, kinds);
  return async (id): Promise<Graph | undefined> => (await readPlanGraph(id, artifacts)) ?? known(id);
}
