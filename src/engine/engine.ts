/**
 * Owns: the one way to build and use the engine: {states, tools, planner, middleware, stores}.
 *
 * G1 Every store is optional; without any a run lives in memory.
 * G2 A failed run stays failed: resuming it opens a linked run that keeps what was done.
 * G3 Resuming any other run continues it; calls without an outcome are in doubt and nothing is repeated blindly.
 */
import { OkaError } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Clock, Middleware, Planner, Stores } from '../schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../schema/tool.ts';
import type { WaitAnswer } from '../schema/wait.ts';
import { leftOf, nothingReserved } from './budget.ts';
import { answerOf, childIdOf, failedChildOf, shareOf } from './child.ts';
import { callChain } from './compose.ts';
import { keptEvents } from './continue.ts';
import { type Drive, drive, type World } from './drive.ts';
import { applied, begun } from './fold-run.ts';
import { type Hooks, hooksAround } from './hooks.ts';
import { invokeTool } from './invoke.ts';
import { memoryEvents } from './memory-stores.ts';
import { inOrder } from './plan.ts';
import { plansWith } from './plans.ts';
import { isOver, type NodeState, type OpenCall, type OpenWait, type RunState } from './run-state.ts';
import { frozen, thawed } from './snapshot.ts';
import { defaultStates, type StateGraph } from './states.ts';
import { storableWith } from './storable.ts';
import { thinkWith } from './think.ts';
import { closingOf, outcomeEvent, startEvent, type StartOptions, stopEvent, type StopRequest } from './written.ts';

export type EngineOptions = {
  tools: readonly Tool[];
  states?: StateGraph;
  planner?: Planner;
  middleware?: readonly Middleware[];
  stores?: Stores;
  clock: Clock;
  /** Resolves after a time; ends waits for timers and the patience with calls that were told to stop. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Graphs that nodes may name. */
  graphs?: (id: string) => Graph | undefined | Promise<Graph | undefined>;
  hooks?: Hooks;
  /** What a witness saw of a call without an outcome; null when nobody did. */
  witness?: (run: string, call: OpenCall) => Promise<Outcome | null>;
  /** Brings what a run waits for, such as a tool that can be installed; null, or a rejection, when only a person can. */
  provide?: (run: RunState, wait: OpenWait) => Promise<WaitAnswer> | null;
  /** Told when a run comes to rest: over, blocked, paused or stopped. */
  atRest?: (run: RunState) => Promise<void>;
};

export type Engine = ReturnType<typeof createEngine>;

const DEEPEST = 8;

export function createEngine(options: EngineOptions) {
  const { clock, stores = {}, middleware = [], states = defaultStates } = options;
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const events = stores.events ?? memoryEvents(clock);
  const drives = new Map<string, Drive>();
  const fresh = new Map<string, Event[]>();
  const { planned, planFor } = plansWith(stores.artifacts, states, new Set(tools.keys()));
  /** Runs that are being read in: a second drive of the same run would do everything twice. */
  const openings = new Map<string, Promise<Drive>>();
  const noPlanner: Planner = { decide: () => ({ kind: 'Fail', reason: 'there is no planner', rationale: '' }) };
  const chain = callChain(middleware, invokeTool(tools));
  const hooks = hooksAround(
    { events, tools: (name) => tools.get(name), invoke: chain },
    options.hooks ?? {},
    (id) => drives.get(id)?.run,
  );
  const world: World = {
    events,
    clock,
    tools: (name) => tools.get(name),
    invoke: hooks.invoke,
    think: thinkWith(options.planner ?? noPlanner, middleware, tools, clock),
    storable: storableWith(stores.artifacts),
    expect,
    withdrawn: (awaited) => {
      if (awaited.kind !== 'child') return;
      void stop(awaited.run, { kind: 'cancel', reason: 'nobody waits for it any more' }).catch(unlessTooLate);
    },
  };
  return { start, startChild, resume, answer, stop, stopAll, stateOf, eventsOf, planFor, note, rested };

  async function start(graph: Graph, request: StartOptions): Promise<Drive> {
    const plan = await planned(graph);
    const running = drives.get(request.id);
    if (running !== undefined) return running;
    return begin(begun(plan, stage(startEvent(graph, plan.sha256, request))));
  }

  /** A run inside another; its name derives from node, visit and turn, so that repeating the call finds the same run. */
  async function startChild(graphId: string, input: Json, call: ToolCall): Promise<string> {
    const graph = await options.graphs?.(graphId);
    if (graph === undefined) throw new OkaError('invalid-graph', `there is no graph "${graphId}"`);
    const parent = drives.get(call.run)?.run;
    const depth = (parent?.depth ?? 0) + 1;
    const deepest = Math.min(DEEPEST, parent?.budgets.depth ?? DEEPEST);
    if (depth > deepest) throw new OkaError('invalid-graph', `runs may lie at most ${deepest} deep`);
    const share = parent === undefined ? {} : shareOf(leftOf(parent, nothingReserved, clock()), graph);
    const budgets = { ...share, depth: Math.min(deepest, graph.budgets.depth ?? DEEPEST) };
    const id = childIdOf(call, parent);
    if (drives.has(id) || (await stateOf(id, parent?.ledger.first)) !== null) return id;
    const before = await failedBefore(parent, call.node);
    const request = { id, input, parent: call.run, depth, budgets };
    if (before === null) await start(graph, request);
    else continueAfterFailure(before, request);
    return id;
  }

  /** Where a run that continues a failed one starts a run again that had failed, that one is continued, too. */
  async function failedBefore(parent: RunState | undefined, node: string | null): Promise<RunState | null> {
    const continued = parent === undefined || parent.parent === null ? null : await stateOf(parent.parent);
    const child = continued?.plan.sha256 === parent?.plan.sha256 ? failedChildOf(continued, node) : null;
    return child === null ? null : stateOf(child);
  }

  async function resume(id: string, request: { newId?: string; reason?: string } = {}): Promise<Drive> {
    if (request.newId === id) throw new OkaError('usage', `run ${id} cannot be continued under its own name`);
    const opened = openings.get(id);
    if (opened !== undefined) return opened.then(() => resume(id, request));
    const running = drives.get(id);
    if (running !== undefined) return running;
    return opening(id, async () => {
      const run = await loaded(id);
      if (run.status === 'failed') {
        const next = request.newId ?? `${id}-again`;
        if ((await stateOf(next)) !== null) return resume(next);
        return continueAfterFailure(run, { id: next, parent: id, depth: run.depth, budgets: run.budgets });
      }
      if (isOver(run.status))
        throw new OkaError('run-is-over', `run ${id} is ${run.status}; there is nothing to resume`);
      return goOn(run, request.reason ?? 'resumed');
    });
  }

  function opening(id: string, open: () => Promise<Drive>): Promise<Drive> {
    const opened = open().finally(() => openings.delete(id));
    openings.set(id, opened);
    return opened;
  }

  async function goOn(run: RunState, reason: string): Promise<Drive> {
    await askWitness(run);
    applied(run, stage({ type: 'run.resumed', run: run.id, data: { reason } }));
    return begin(run);
  }

  /** Closes a wait; the run goes on if it was waiting only for this, and stays paused if it was. */
  async function answer(id: string, wait: string, given: WaitAnswer): Promise<Drive> {
    const opened = openings.get(id);
    if (opened !== undefined) return opened.then(() => answer(id, wait, given));
    const running = drives.get(id);
    if (running?.post(closingOf(running.run, wait, given)) === true) return running;
    if (running !== undefined) return running.done.then(() => answer(id, wait, given));
    return opening(id, async () => {
      const run = await loaded(id);
      applied(run, stage(closingOf(run, wait, given)));
      if (run.status !== 'paused') return goOn(run, 'a wait was closed');
      await events.flush(unflushed(run.id));
      return { run, done: Promise.resolve(run), post: () => false, stop: () => false };
    });
  }

  async function stop(id: string, request: StopRequest): Promise<RunState> {
    await openings.get(id);
    const running = drives.get(id);
    if (running !== undefined) {
      const isHeard = running.stop(request);
      const run = await running.done;
      await stopChildren(run, request);
      return isHeard || request.kind === 'stop' || isOver(run.status) ? run : stop(id, request);
    }
    const run = await loaded(id);
    if (isOver(run.status)) throw new OkaError('run-is-over', `run ${id} is ${run.status} already`);
    const event = stopEvent(run, request);
    if (event !== null) applied(run, stage(event));
    await events.flush(unflushed(run.id));
    await stopChildren(run, request);
    return run;
  }

  /** What a run has started and waits for stops with it. */
  async function stopChildren(run: RunState, request: StopRequest): Promise<void> {
    if (request.kind === 'stop') return;
    for (const { for: awaited } of run.waits.values())
      if (awaited.kind === 'child') await stop(awaited.run, request).catch(unlessTooLate);
  }

  async function stopAll(reason: string): Promise<void> {
    await Promise.all([...drives.keys()].map((id) => stop(id, { kind: 'stop', reason })));
  }

  /** Resolves when no run is at work any more, also none that another's end has set going. */
  async function rested(): Promise<void> {
    while (drives.size > 0) await Promise.all([...drives.values()].map(({ done }) => done));
  }

  /** Lets an event that somebody else decided into a run that is at work; false when it is not. */
  function note(id: string, event: NewEvent): boolean {
    return drives.get(id)?.post(event) ?? false;
  }

  /** Where a run stands now: from memory, or from its snapshot and the events since `from`; null when there is none. */
  async function stateOf(id: string, from = 1): Promise<RunState | null> {
    const running = drives.get(id);
    if (running !== undefined) return running.run;
    const snapshot = (await stores.runs?.load(id)) ?? null;
    let run = snapshot === null ? null : await fromSnapshot(snapshot.state);
    for await (const event of events.read({ run: id, from: run === null ? from : run.ledger.last + 1 })) {
      if (run !== null) applied(run, event);
      else if (event.type === 'run.started') run = begun(await planFor(event.data.graph.sha256), event);
    }
    return run;
  }

  async function fromSnapshot(state: Json): Promise<RunState | null> {
    const graph = state !== null && typeof state === 'object' && !Array.isArray(state) ? state['graph'] : undefined;
    return typeof graph === 'string' ? thawed(state, await planFor(graph)) : null;
  }

  async function eventsOf(id: string): Promise<Event[]> {
    const all: Event[] = [];
    for await (const event of events.read({ run: id })) all.push(event);
    if (all.length === 0) throw new OkaError('no-such-run', `there is no run "${id}"`);
    return all;
  }

  /** Events of a run that nobody has flushed yet; whoever goes on with the run takes them over. */
  function stage(event: NewEvent): Event {
    const staged = events.stage(event);
    const run = staged.run ?? '';
    fresh.set(run, [...(fresh.get(run) ?? []), staged]);
    return staged;
  }

  function unflushed(run: string): Event[] {
    const staged = fresh.get(run) ?? [];
    fresh.delete(run);
    return staged;
  }

  function begin(run: RunState | null): Drive {
    if (run === null) throw new Error('a run begins with run.started');
    const isNew = options.hooks?.before_run !== undefined && run.nodes.every(isUntried);
    const started = drive(
      run,
      world,
      (ms, signal) => options.sleep(ms, signal),
      unflushed(run.id),
      isNew ? () => hooks.beforeRun(run) : undefined,
    );
    const done = started.done.then(atEnd);
    const leave = (): void => void drives.delete(run.id);
    drives.set(run.id, { ...started, done });
    done.then(leave, leave);
    return { ...started, done };
  }

  async function atEnd(run: RunState): Promise<RunState> {
    if (isOver(run.status)) await hooks.afterRun(run);
    else await stores.runs?.save(run.id, { seq: run.ledger.last, state: frozen(run) });
    if (isOver(run.status) && run.parent !== null) await tellParent(run, run.parent);
    await options.atRest?.(run);
    return run;
  }

  /** A parent that has come to rest, because its child had to wait for a person, goes on when the child is over. */
  async function tellParent(child: RunState, id: string): Promise<void> {
    const parent = await stateOf(id);
    if (parent === null || isOver(parent.status)) return;
    for (const wait of parent.waits.values())
      if (wait.for.kind === 'child' && wait.for.run === child.id)
        await answer(id, wait.wait, answerOf(child, wait.for.any_end)).catch(unlessTooLate);
  }

  async function loaded(id: string): Promise<RunState> {
    const run = await stateOf(id);
    if (run === null) throw new OkaError('no-such-run', `there is no run "${id}"`);
    return run;
  }

  /** Every call that was under way gets an outcome: what a witness saw, or that nobody did, which puts it in doubt. */
  async function askWitness(run: RunState): Promise<void> {
    for (const [index, { open }] of run.nodes.entries()) {
      if (open === null) continue;
      const seen = (await options.witness?.(run.id, open)) ?? null;
      const outcome = seen ?? { status: 'cancelled', error: 'work stopped, and nobody saw how it ended' };
      applied(run, stage(outcomeEvent(run, { call: open.call, node: run.configs[index]?.id ?? '' }, outcome, false)));
    }
  }

  function continueAfterFailure(run: RunState, request: StartOptions): Drive {
    const { graph, sha256 } = run.plan;
    const event = startEvent(graph, sha256, { title: run.title, ...request, input: run.input });
    const next = begun(run.plan, stage(event));
    if (next === null) throw new Error('a run begins with run.started');
    for (const index of inOrder(run.plan))
      for (const event of keptEvents(run, next, index)) applied(next, stage(event));
    return begin(next);
  }

  /** Waits for runs and timers end without a person, and those for what somebody here can bring. */
  function expect(run: RunState, wait: OpenWait, signal: AbortSignal): Promise<NewEvent> | null {
    const closed = (answer: WaitAnswer): NewEvent => ({
      type: 'wait.closed',
      run: run.id,
      data: { wait: wait.wait, node: wait.node, answer },
    });
    if (wait.for.kind === 'timer') {
      return sleepUntil(Date.parse(wait.for.until), signal).then(() => closed({ verdict: 'elapsed', by: 'the clock' }));
    }
    if (wait.for.kind === 'requirement') return options.provide?.(run, wait)?.then(closed) ?? null;
    if (wait.for.kind !== 'child') return null;
    const { any_end } = wait.for;
    return endOfChild(wait.for.run).then((state) => {
      if (state === null || !isOver(state.status)) throw new Error('the awaited run is not over');
      return closed(answerOf(state, any_end));
    });
  }

  /** A child that was stopped with its parent goes on with it, unless others have to make it go on. */
  async function endOfChild(id: string): Promise<RunState | null> {
    const running = drives.get(id);
    if (running !== undefined) return running.done;
    const state = await stateOf(id);
    if (state === null || isOver(state.status) || (state.status === 'blocked' && !endsByItself(state))) return state;
    return (await resume(id, { reason: 'its parent goes on' })).done;
  }

  /** No timer of Node reaches further than 25 days. */
  async function sleepUntil(moment: number, signal: AbortSignal): Promise<void> {
    for (let left = moment - clock(); left > 0; left = moment - clock())
      await options.sleep(Math.min(left, FARTHEST_MS), signal);
  }
}

const FARTHEST_MS = 2 ** 31 - 1;

/** Whether anything that a run waits for comes without a person. */
function endsByItself({ waits }: RunState): boolean {
  return [...waits.values()].some(({ for: { kind } }) => kind === 'timer' || kind === 'child');
}

/** The parent may have ended, or heard of it, in the meantime. */
function unlessTooLate(error: unknown): void {
  if (!(error instanceof OkaError) || (error.code !== 'run-is-over' && error.code !== 'no-such-wait')) throw error;
}

function isUntried({ attempt, waited, agent }: NodeState): boolean {
  return attempt === 0 && waited === 0 && agent === null;
}
