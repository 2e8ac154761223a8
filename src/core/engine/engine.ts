/**
 * Owns: building the engine from {states, tools, planner, middleware, stores}, and what can be done with it.
 *
 * G1 Every store is optional; without any a run lives in memory.
 * G2 A failed run stays failed: resuming it opens a linked run that starts with what was done.
 * G3 Resuming any other run continues it; calls without an outcome are in doubt and nothing is repeated blindly.
 */
import type { Event, NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Planner, RunSignal } from '../schema/ports.ts';
import type { RunNote } from '../schema/run.ts';
import type { ToolCall } from '../schema/tool.ts';
import type { WaitAnswer } from '../schema/wait.ts';
import { notifyParent, startChild } from './child-runs.ts';
import { callChain } from './middleware-chain.ts';
import type { Drive } from './drive.ts';
import type { EngineContext, EngineOptions } from './engine-context.ts';
import { memoryState } from './graph-state.ts';
import { createHooks } from './hooks.ts';
import { invokeTool } from './invoke-tool.ts';
import { type LinkedStart, nodeStart } from './linked-run.ts';
import { findRun, loadEvents } from './load-run.ts';
import { memoryEvents } from './in-memory-stores.ts';
import type { Plan } from './graph-plan.ts';
import { createPlans } from './plan-store.ts';
import { answerWait, resumeRun, type ResumeRequest, startLinkedRun, startRun } from './run-control.ts';
import { addNote, stopRun } from './run-signals.ts';
import { memoryTurns, notingEvents } from './run-turns.ts';
import { countActiveRuns, ignoreTooLate, runRegistry, stopAll, whenIdle } from './run-registry.ts';
import type { RunState } from './run-state.ts';
import { expectEnd } from './self-ending-waits.ts';
import { defaultStates } from './agent-states.ts';
import { outputStore } from './large-outputs.ts';
import { createThink } from './ask-planner.ts';
import { asRegistry } from './tool-registry.ts';
import type { StartOptions } from './step-events.ts';

export type Engine = {
  start: (graph: Graph, request: StartOptions) => Promise<Drive>;
  /** Starts a run inside the one that makes this call; gives its id. */
  startChild: (graphId: string, input: Json, call: ToolCall) => Promise<string>;
  resume: (id: string, request?: ResumeRequest) => Promise<Drive>;
  /** Starts a run that is made from an earlier one. */
  startLinked: (start: LinkedStart) => Promise<Drive>;
  /** The seq of the event with which a node of a run started, the last time. */
  nodeStart: (id: string, node: string) => Promise<number>;
  answer: (id: string, wait: string, answer: WaitAnswer) => Promise<Drive>;
  /** Records a note to whoever works on a run, which goes on meanwhile. */
  note: (id: string, note: RunNote) => Promise<void>;
  stop: (id: string, request: RunSignal) => Promise<RunState>;
  stopAll: (reason: string) => Promise<void>;
  /** Null when there is no such run; `from` is a seq before which it has no event. */
  stateOf: (id: string, from?: number) => Promise<RunState | null>;
  eventsOf: (id: string) => Promise<Event[]>;
  /** The plan of a graph that was started once. */
  planFor: (sha256: string) => Promise<Plan>;
  /** Delivers an event that somebody else decided to a run that is driven; false when it is not. */
  post: (id: string, event: NewEvent) => boolean;
  /** Resolves, when the run is not driven any more, with its state; null when there is no such run. */
  whenSettled: (id: string) => Promise<RunState | null>;
  isDriven: (id: string) => boolean;
  /** How many runs are driven right now; runs inside another one that is driven are part of it. */
  activeRuns: () => number;
  /** Resolves when no run is driven any more. */
  whenIdle: () => Promise<void>;
};

export function createEngine(options: EngineOptions): Engine {
  const context = contextFor(options);
  const { registry, plans } = context;
  const stop: Engine['stop'] = (id, request) => stopRun(context, id, request);
  return {
    start: (graph, request) => startRun(context, graph, request),
    startChild: (graphId, input, call) => startChild(context, graphId, input, call),
    resume: (id, request) => resumeRun(context, id, request),
    startLinked: (start) => startLinkedRun(context, start),
    nodeStart: (id, node) => nodeStart(context, id, node),
    answer: (id, wait, answer) => answerWait(context, id, wait, answer),
    note: (id, note) => addNote(context, id, note),
    stop,
    stopAll: async (reason) => {
      await stopAll(registry, (id) => stop(id, { kind: 'stop', reason }));
      context.hooks.stop();
    },
    stateOf: (id, from) => findRun(context, id, from),
    eventsOf: (id) => loadEvents(context, id),
    planFor: (sha256) => plans.planFor(sha256),
    post: (id, event) => registry.drives.get(id)?.post(event) ?? false,
    whenSettled: async (id) => (await registry.drives.get(id)?.done) ?? findRun(context, id),
    isDriven: (id) => registry.drives.has(id),
    activeRuns: () => countActiveRuns(registry),
    whenIdle: () => whenIdle(registry),
  };
}

const noPlanner: Planner = { decide: () => ({ kind: 'Fail', reason: 'there is no planner', rationale: '' }) };

function contextFor(options: EngineOptions): EngineContext {
  const {
    clock,
    monotonic = clock,
    stores = {},
    middleware = [],
    states = defaultStates,
    planner = noPlanner,
    sleep,
  } = options;
  const tools = asRegistry(options.tools);
  const toolNamed = (name: string) => tools.get(name);
  const given = stores.events ?? memoryEvents(clock);
  const ownTurns = memoryTurns();
  const turns = stores.turns ?? ownTurns;
  const events = stores.turns === undefined ? notingEvents(given, (event) => ownTurns.note(event)) : given;
  const registry = runRegistry(events);
  const plans = createPlans(stores.artifacts, states, tools, options.acceptance);
  const chain = callChain(middleware, invokeTool(tools), tools);
  const runOf = (id: string) => registry.drives.get(id)?.run;
  const hooks = createHooks({ events, tools: toolNamed, invoke: chain }, options.hooks ?? {}, runOf);
  const context: EngineContext = {
    options,
    stores,
    events,
    tools,
    plans,
    registry,
    turns,
    hooks,
    world: {
      events,
      state: stores.state ?? memoryState(),
      clock,
      monotonic,
      sleep: (ms, signal) => sleep(ms, signal),
      tools: toolNamed,
      invoke: hooks.invoke,
      settle: hooks.settle,
      think: createThink(planner, middleware, tools, clock),
      storeOutput: outputStore(stores.artifacts),
      expect: (run, wait, signal) => expectEnd(context, run, wait, signal),
      onWithdrawn: (awaited) => {
        if (awaited.kind !== 'child') return;
        const request: RunSignal = { kind: 'cancel', reason: 'nobody waits for it any more' };
        void stopRun(context, awaited.run, request).catch(ignoreTooLate);
      },
    },
    onChildEnd: (child, parent) => notifyParent(context, child, parent),
  };
  return context;
}
