/**
 * Owns: the only loop. It decides, writes the decision down, lets the call happen, writes down what came of it.
 * Does not own: what to do next (decide.ts), what an event means (fold-run.ts), what a call goes through (the chain).
 *
 * R1 A call that may change anything is durable as an intent before it acts; a read may ride the next batch. Neither
 *    waits for calls that were decided with it.
 * R2 The outcome of one step and the intent of the next share a batch: a sequence of n steps costs n flushes.
 * R3 Every call that was started gets an outcome, also when the run fails or is stopped.
 * R4 No promise is held across a wait for a person: the drive ends, and the run goes on from its events.
 */
import type { Event, NewEvent } from '../schema/event.ts';
import { messageOf } from '../schema/errors.ts';
import type { Clock, EventStore } from '../schema/ports.ts';
import type { Act, Outcome, SideEffectClass, ToolCall, Usage } from '../schema/tool.ts';
import type { WaitFor } from '../schema/wait.ts';
import { boundsOf } from './bounds.ts';
import { actsWithin } from './act.ts';
import { callsLeft, estimated, free, leftOf, nothingReserved, type Reserved, reservedWith } from './budget.ts';
import type { Invoke } from './compose.ts';
import { type CallStep, decide, type Step, type ToolBook } from './decide.ts';
import { applied } from './fold-run.ts';
import { authorOf, originsOf } from './origins.ts';
import { isOver, nodeNamed, type NodeState, type OpenWait, type RunState } from './run-state.ts';
import { eventOf, misclassified, outcomeEvent, plannerFailed, stopEvent, type StopRequest } from './written.ts';

export type World = {
  events: EventStore;
  tools: ToolBook;
  invoke: Invoke;
  clock: Clock;
  /** Asks the planner; gives the event that says what it answered. */
  think: (run: RunState, step: Extract<Step, { kind: 'Think' }>, act: Act) => Promise<NewEvent>;
  /** Makes an outcome fit for the ledger: large bodies become artifacts. */
  storable: (outcome: Outcome) => Outcome | Promise<Outcome>;
  /** Told of what nobody waits for any more. */
  withdrawn?: (awaited: WaitFor) => void;
  /** Resolves when a wait that ends without a person has ended; null when nobody here can tell. */
  expect: (run: RunState, wait: OpenWait, signal: AbortSignal) => Promise<NewEvent> | null;
};

export type Drive = {
  run: RunState;
  /** Resolves when the run is over, blocked, paused or stopped. */
  done: Promise<RunState>;
  /** Lets an event from outside into the run, such as the answer to a wait; false when the drive is at its end. */
  post: (event: NewEvent) => boolean;
  /** False when the drive is at its end or was told to stop before. */
  stop: (request: StopRequest) => boolean;
};

type Happened =
  | { kind: 'outcome'; step: CallStep; outcome: Outcome }
  | { kind: 'event'; event: NewEvent; node: string | null };

/** How long calls have to end after they were told to. */
export const GRACE_MS = 1500;

export function drive(
  run: RunState,
  world: World,
  grace: (ms: number, signal: AbortSignal) => Promise<void>,
  unflushed: Event[],
  before?: () => Promise<NewEvent | null>,
): Drive {
  const happened: Happened[] = [];
  const inFlight = new Set<CallStep>();
  const within = actsWithin({
    run,
    world,
    stage,
    written: asDurable,
    reserve,
    callOf,
    isStopped: () => calls.signal.aborted,
  });
  /** Which visit of a node is thought about. */
  const thinking = new Map<string, number | undefined>();
  const expecting = new Set<string>();
  /** Waits that will not end by themselves after all. */
  const unforeseen = new Set<string>();
  const calls = new AbortController();
  let stopRequest: StopRequest | null = null;
  let reserved = nothingReserved;
  let broken: Error | null = null;
  let wake: (() => void) | null = null;
  let closed = false;

  return {
    run,
    done: loop(),
    post: (event) => {
      if (!closed) tell({ kind: 'event', event, node: null });
      return !closed;
    },
    stop: (request) => {
      if (closed) return false;
      stopRequest ??= request;
      calls.abort();
      wake?.();
      return stopRequest === request;
    },
  };

  async function loop(): Promise<RunState> {
    const refusal = (await before?.()) ?? null;
    if (refusal !== null) stage(refusal);
    for (;;) {
      if (broken !== null) throw broken;
      takeIn();
      if (stopRequest !== null) return halt(stopRequest);
      advance();
      if (run.failure !== null && inFlight.size + within.open() > 0) calls.abort();
      if (unflushed.length > 0) flush().catch(breakDown);
      if (!isOver(run.status)) expectWaits();
      if (mayEnd()) await end();
      if (closed) return run;
      if (!hasNews()) await something();
    }
  }

  function hasNews(): boolean {
    return happened.length > 0 || stopRequest !== null || broken !== null;
  }

  function mayEnd(): boolean {
    return isOver(run.status) || (!hasNews() && inFlight.size === 0 && thinking.size === 0 && expecting.size === 0);
  }

  /** Unless news comes while the last batch is written, this is the end. */
  async function end(): Promise<void> {
    await flush();
    if (broken !== null) throw broken;
    closed = mayEnd();
    if (closed) calls.abort();
  }

  /** Writes down everything that is decided now; each call is made as soon as it is as durable as it has to be. */
  function advance(): void {
    for (;;) {
      const steps = decide(run, world.tools).filter((step) => step.kind !== 'Think' || !thinking.has(step.node));
      if (steps.length === 0 || mustWait(steps)) return;
      for (const step of steps) {
        if (step.kind === 'Think') think(step);
        else stage(eventOf(run, step));
        if (step.kind === 'Withdraw') world.withdrawn?.(step.for);
        if (step.kind === 'CallTool') launch(step);
        if (step.kind === 'Settle') break; // it may have led back or failed the run: the other steps are decided anew
      }
    }
  }

  /** Calls of nodes that an edge back has made anew get their outcome before the run ends. */
  function mustWait([first]: readonly Step[]): boolean {
    if ((first?.kind !== 'Finish' && first?.kind !== 'Fail') || inFlight.size + within.open() === 0) return false;
    calls.abort();
    return true;
  }

  function stage(event: NewEvent): Event {
    const staged = world.events.stage(event);
    unflushed.push(staged);
    applied(run, staged);
    return staged;
  }

  function flush(): Promise<void> {
    return world.events.flush(unflushed.splice(0));
  }

  /** R1 */
  function asDurable(effect: SideEffectClass): Promise<void> {
    const flushed = flush();
    if (effect !== 'read') return flushed;
    flushed.catch(breakDown);
    return Promise.resolve();
  }

  function launch(step: CallStep): void {
    const usage = estimated(world.tools, step.tool, step.input);
    inFlight.add(step);
    outcomeOf(callOf(step, usage), usage, asDurable(step.class)).then((outcome) => {
      tell({
        kind: 'outcome',
        step,
        outcome: isCancelledByItself(outcome) ? { ...outcome, status: 'failed' } : outcome,
      });
    }, breakDown);
  }

  function reserve(usage: Usage, sign: 1 | -1): void {
    if (usage !== free) reserved = reservedWith(reserved, usage, sign);
  }

  /** Reserved right before it is made: what is decided with it and made after it does not count yet. */
  async function outcomeOf(call: ToolCall, usage: Usage, written: Promise<void>): Promise<Outcome> {
    await written;
    if (calls.signal.aborted) return { status: 'cancelled', error: 'stopped before it began', begun: false };
    reserve(usage, 1);
    try {
      const outcome = world.storable(await world.invoke(call));
      return outcome instanceof Promise ? await outcome : outcome;
    } catch (error) {
      return { status: 'cancelled', error: messageOf(error) };
    } finally {
      reserve(usage, -1);
    }
  }

  /** Only what was told to stop is cancelled, and so in doubt. */
  function isCancelledByItself(outcome: Outcome): outcome is Extract<Outcome, { status: 'cancelled' }> {
    return outcome.status === 'cancelled' && !calls.signal.aborted;
  }

  function callOf(step: CallStep, usage: Usage): ToolCall {
    const { node, call, attempt, tool, input, key, approval } = step;
    const others = (): Reserved => (usage === free ? reserved : reservedWith(reserved, usage, -1));
    const tool_calls = callsLeft(run);
    return {
      run: run.id,
      node,
      call,
      attempt,
      tool,
      class: step.class,
      input,
      key,
      author: authorOf(run, run.configs[nodeNamed(run, node) ?? -1]),
      origins: () => originsOf(run, node, input, world.tools(tool)?.targets ?? []),
      signal: calls.signal,
      bounds: boundsOf(run, node, step.ask),
      left: () => leftOf(run, others(), world.clock(), tool_calls),
      approval,
      previous: null,
      intend: (again) => intend(step, again),
      act: within.actor(() => step.call, node, approval),
    };
  }

  /** A further attempt within one call: how the last one ended and that another follows, in one batch. */
  async function intend(step: CallStep, again: ToolCall): Promise<void> {
    if (nodeOf(step.node)?.open?.call !== step.call) throw new Error('an edge back has made its node anew');
    stage(outcomeEvent(run, step, again.previous ?? { status: 'failed', error: 'unknown' }, true));
    Object.assign(step, { call: again.call, attempt: again.attempt });
    stage(eventOf(run, step));
    await asDurable(step.class);
  }

  function think(step: Extract<Step, { kind: 'Think' }>): void {
    thinking.set(step.node, nodeOf(step.node)?.visit);
    const turn = `${run.id}.${step.node}.${nodeOf(step.node)?.visit ?? 0}.t${step.turn}`;
    world
      .think(
        run,
        step,
        within.actor(() => turn, step.node, null),
      )
      .then(
        (event) => tell({ kind: 'event', event, node: step.node }),
        (error: unknown) =>
          tell({ kind: 'event', node: step.node, event: plannerFailed(run, step.node, messageOf(error)) }),
      );
  }

  /** Waits that end by themselves keep the drive alive. */
  function expectWaits(): void {
    for (const wait of run.waits.values()) {
      if (expecting.has(wait.wait) || unforeseen.has(wait.wait)) continue;
      const closing = world.expect(run, wait, calls.signal);
      if (closing === null) continue;
      expecting.add(wait.wait);
      closing
        .then(
          (event) => void happened.push({ kind: 'event', event, node: null }),
          () => void unforeseen.add(wait.wait),
        )
        .finally(() => {
          expecting.delete(wait.wait);
          wake?.();
        });
    }
  }

  function tell(news: Happened): void {
    happened.push(news);
    wake?.();
  }

  async function something(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await promise;
    wake = null;
  }

  /** Writes down what has happened since. */
  function takeIn(): void {
    for (const news of happened.splice(0)) {
      if (news.kind === 'event') {
        if (isWanted(news)) stage(news.event);
      } else {
        inFlight.delete(news.step);
        stageOutcome(news.step, news.outcome);
      }
    }
  }

  /** Not wanted: a second answer to a wait, and what was thought about a node that an edge back has made anew. */
  function isWanted({ event, node }: Extract<Happened, { kind: 'event' }>): boolean {
    const isOfThisVisit = node === null || thinking.get(node) === nodeOf(node)?.visit;
    if (node !== null) thinking.delete(node);
    return !isOver(run.status) && isOfThisVisit && (event.type !== 'wait.closed' || run.waits.has(event.data.wait));
  }

  function nodeOf(name: string): NodeState | undefined {
    return run.nodes[nodeNamed(run, name) ?? -1];
  }

  function stageOutcome(step: CallStep, outcome: Outcome): void {
    try {
      if (outcome.status === 'failed' && outcome.overstepped !== undefined && step.class === 'read')
        stage(misclassified(run, step, outcome.overstepped));
      stage(outcomeEvent(run, step, outcome, false));
    } catch (error) {
      stage(
        outcomeEvent(
          run,
          step,
          { status: 'failed', error: `the outcome could not be written down: ${messageOf(error)}` },
          false,
        ),
      );
    }
  }

  function breakDown(error: unknown): void {
    broken = error instanceof Error ? error : new Error(messageOf(error));
    wake?.();
  }

  /** Calls under way are told to end; those that do not in time count as cancelled, and so as in doubt. */
  async function halt(request: StopRequest): Promise<RunState> {
    const patience = new AbortController();
    const deadline = grace(GRACE_MS, patience.signal).then(
      () => true,
      () => true,
    );
    for (let late = false; inFlight.size > 0 && !late; takeIn()) {
      late = await Promise.race([deadline, something().then(() => false)]);
      if (broken !== null) break;
    }
    patience.abort();
    closed = true;
    if (broken !== null) throw broken;
    const stopped: Outcome = { status: 'cancelled', error: 'stopped before it ended' };
    within.giveUp(stopped);
    for (const step of inFlight) stageOutcome(step, stopped);
    inFlight.clear();
    const event = isOver(run.status) ? null : stopEvent(run, request);
    if (event !== null) stage(event);
    await flush();
    return run;
  }
}
