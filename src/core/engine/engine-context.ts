/** What an engine is built from, and what its parts share. */
import type { Graph } from '../schema/graph.ts';
import type { Clock, EventStore, Middleware, Planner, Stores, ToolRegistry, TurnStore } from '../schema/ports.ts';
import type { Outcome, Tool } from '../schema/tool.ts';
import type { WaitAnswer } from '../schema/wait.ts';
import type { Hooks, RunHooks } from './hooks.ts';
import type { Plans } from './plan-store.ts';
import type { RunRegistry } from './run-registry.ts';
import type { OpenCall, OpenWait, RunState } from './run-state.ts';
import type { StateGraph } from './agent-states.ts';
import type { World } from './world.ts';

export type EngineOptions = {
  /** A list, or a registry that may change while runs are driven. */
  tools: readonly Tool[] | ToolRegistry;
  states?: StateGraph;
  planner?: Planner;
  middleware?: readonly Middleware[];
  stores?: Stores;
  clock: Clock;
  /** Milliseconds that pass while the machine works, whatever the clock is set to; `clock` when left out. */
  monotonic?: Clock;
  /** Resolves after a time; ends waits for timers, and the time that calls have to end after a stop. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Graphs that nodes may name. */
  graphs?: (id: string) => Graph | undefined | Promise<Graph | undefined>;
  hooks?: Hooks;
  /** Why a text cannot be the acceptance of a node, or null. Graphs with acceptance need the tool `step.check`, too. */
  acceptance?: (text: string) => string | null;
  /** What a witness saw of a call without an outcome; null when nobody did. */
  witness?: (run: string, call: OpenCall) => Promise<Outcome | null>;
  /** Provides what a run waits for, such as a tool that can be installed; null, or a rejection, when only a person can. */
  provide?: (run: RunState, wait: OpenWait) => Promise<WaitAnswer> | null;
  /** Called when a run comes to rest: over, blocked, paused or stopped. */
  runSettled?: (run: RunState) => Promise<void>;
  hold?: Hold;
};

/** Keeps everything still: a run that begins or goes on meanwhile is recorded, and takes no step. */
export type Hold = {
  isOn: () => boolean;
  /** Called when such a run has come to rest; somebody has to resume it later. */
  onHeldBack: () => void;
};

/** Shared by the functions that start, continue, load and stop runs; createEngine builds it once. */
export type EngineContext = {
  options: EngineOptions;
  stores: Stores;
  events: EventStore;
  tools: ToolRegistry;
  plans: Plans;
  registry: RunRegistry;
  turns: TurnStore;
  hooks: RunHooks;
  world: World;
  /** Called when a run that another run started is over. */
  onChildEnd: (child: RunState, parent: string) => Promise<void>;
};
