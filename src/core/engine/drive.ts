/**
 * Owns: the only loop. It decides, writes the decision, makes the call, and writes its outcome.
 * Does not own: what to do next (decide.ts), what an event means (fold-run.ts), how a call is made (calls.ts), what it
 * goes through (the chain).
 *
 * R1 A call that may change anything is durable as an intent before it acts; a read may ride the next batch. Neither
 *    waits for calls that were decided with it.
 * R2 The outcome of one step and the intent of the next share a batch: a sequence of n steps costs n flushes.
 * R3 Every call that was started gets an outcome, also when the run fails or is stopped.
 * R4 No promise stays open across a wait for a person: the drive ends, and the run goes on from its events.
 */
import { ERROR_DECIDE } from '../schema/error-handling.ts';
import { messageOf } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { RunSignal } from '../schema/ports.ts';
import type { Outcome } from '../schema/tool.ts';
import type { Account } from './account.ts';
import { stageOutcome, startCall } from './calls.ts';
import { decide, type SettleStep, type Step, type ThinkStep } from './decide.ts';
import {
  callsInFlight,
  deliver,
  type DriveState,
  fail,
  flush,
  hasNews,
  type Message,
  newDriveState,
  nextNews,
  noteIdleTime,
  stage,
  workTime,
} from './drive-state.ts';
import { isOver, nodeStateOf, type OpenWait, type RunState } from './run-state.ts';
import { isStopDue } from './stop-after-step.ts';
import { actFor, endNestedCalls } from './tool-call.ts';
import type { World } from './world.ts';
import { stepEvent, plannerFailedEvent, stopEvent } from './step-events.ts';

export type Drive = {
  run: RunState;
  /** Resolves when the run is over, blocked, paused or stopped. */
  done: Promise<RunState>;
  /** Delivers an event from outside, such as the answer to a wait; false when the drive has ended. */
  post: (event: NewEvent, onStaged?: () => void) => boolean;
  /** False when the drive has ended or was asked to stop before. */
  stop: (request: RunSignal) => boolean;
  /** Whether it was asked to pause, which takes until the calls in flight have ended. */
  isPausing: () => boolean;
};

/** How long calls may take to end after a stop. */
const GRACE_MS = 1500;

/** `unflushed` are events of the run that were staged before; `before` may end the run before its first step. */
export function drive(
  run: RunState,
  world: World,
  account: Account,
  unflushed: Event[],
  before?: () => Promise<NewEvent | null>,
): Drive {
  const state = newDriveState(run, world, account, unflushed);
  return {
    run,
    done: loop(state, before),
    post: (event, onStaged) => {
      if (!state.isClosed) deliver(state, { kind: 'event', event, node: null, onStaged });
      return !state.isClosed;
    },
    stop: (request) => requestStop(state, request),
    isPausing: () => state.stopRequest?.kind === 'pause',
  };
}

async function loop(state: DriveState, before?: () => Promise<NewEvent | null>): Promise<RunState> {
  const { run } = state;
  const refusal = (await before?.()) ?? null;
  if (refusal !== null) stage(state, refusal);
  for (;;) {
    if (state.error !== null) throw state.error;
    takeMessages(state);
    if (state.stopRequest !== null) return halt(state);
    advance(state);
    if (isStopDue(run) && !isOver(run.status) && requestStop(state, STOP_AFTER_STEP)) continue;
    if (run.failure !== null && callsInFlight(state) > 0) state.calls.abort();
    if (state.unflushed.length > 0) flush(state).catch((error: unknown) => fail(state, error));
    if (!isOver(run.status)) expectWaits(state);
    if (mayEnd(state)) await end(state);
    if (state.isClosed) return run;
    if (state.awaitingTurn.size > 0) noteIdleTime(state);
    if (!hasNews(state)) await nextNews(state);
  }
}

const STOP_AFTER_STEP: RunSignal = {
  kind: 'pause',
  reason: 'stopped after this step, as a person asked',
  isGentle: true,
};

/** Writes everything that is decided now; each call is made as soon as it is as durable as it has to be. */
function advance(state: DriveState): void {
  const { run, world, thinking } = state;
  for (;;) {
    const decided = decide(run, world.tools);
    const steps = thinking.size === 0 ? decided : decided.filter((step) => !isAsked(state, step));
    if (steps.length === 0 || mustWaitForCalls(state, steps)) return;
    if (isStopDue(run) && !steps.some(({ kind }) => kind === 'Finish' || kind === 'Fail')) return;
    for (const step of steps) {
      if (step.kind === 'Think') startThinking(state, step);
      else if (step.kind === 'Settle' && world.settle !== undefined) startSettling(state, step, world.settle);
      else stage(state, stepEvent(run, step));
      if (step.kind === 'Withdraw') world.onWithdrawn?.(step.for);
      if (step.kind === 'CallTool') startCall(state, step);
      if (decidesOthers(step)) break; // the other steps are decided again
    }
  }
}

/** Whether the planner, or what comes around a node that ends without a call, is being asked already. */
const isAsked = ({ thinking }: DriveState, step: Step): boolean =>
  (step.kind === 'Think' || step.kind === 'Settle') && thinking.has(step.node);

/** It may have led back or failed the run, or used up what the error handler may ask. */
function decidesOthers(step: Step): boolean {
  return step.kind === 'Settle' || step.kind === 'Handle' || (step.kind === 'CallTool' && step.tool === ERROR_DECIDE);
}

/** Calls of nodes that an edge back has started over get their outcome before the run ends (R3). */
function mustWaitForCalls(state: DriveState, [first]: readonly Step[]): boolean {
  if ((first?.kind !== 'Finish' && first?.kind !== 'Fail') || callsInFlight(state) === 0) return false;
  state.calls.abort();
  return true;
}

/** Asks the planner of a node; what it answers is delivered to the loop. */
function startThinking(state: DriveState, step: ThinkStep): void {
  const { run, world } = state;
  const { node } = step;
  const visit = nodeStateOf(run, node)?.visit;
  state.thinking.set(node, visit);
  const turn = `${run.id}.${node}.${visit ?? 0}.t${step.turn}`;
  world
    .think(
      run,
      step,
      actFor(state, () => turn, { node, approval: null }),
      workTime(state),
    )
    .then(
      (event) => deliver(state, { kind: 'event', event, node }),
      (error: unknown) =>
        deliver(state, { kind: 'event', node, event: plannerFailedEvent(run, node, messageOf(error)) }),
    );
}

/** Ends a node with what people want around it; nothing else is decided for it meanwhile. */
function startSettling(state: DriveState, step: SettleStep, settle: NonNullable<World['settle']>): void {
  const { run } = state;
  state.thinking.set(step.node, nodeStateOf(run, step.node)?.visit);
  settle(run, step).then(
    (made) => deliver(state, { kind: 'event', node: step.node, event: stepEvent(run, made) }),
    (error: unknown) => fail(state, error),
  );
}

/** Waits that end by themselves keep the drive alive. */
function expectWaits(state: DriveState): void {
  const { run, world, expected, unexpected } = state;
  for (const wait of run.waits.values()) {
    if (expected.has(wait.wait) || unexpected.has(wait.wait)) continue;
    const closing = world.expect(run, wait, state.calls.signal);
    if (closing !== null) expectWait(state, wait, closing);
  }
}

function expectWait(state: DriveState, { wait }: OpenWait, closing: Promise<NewEvent>): void {
  state.expected.add(wait);
  closing
    .then(
      (event) => void state.messages.push({ kind: 'event', event, node: null }),
      () => void state.unexpected.add(wait),
    )
    .finally(() => {
      state.expected.delete(wait);
      state.wake?.();
    });
}

/** Writes what has arrived since. */
function takeMessages(state: DriveState): void {
  for (const message of state.messages.splice(0)) {
    if (message.kind === 'event') {
      if (!isWanted(state, message)) continue;
      stage(state, message.event);
      message.onStaged?.();
    } else {
      state.inFlight.delete(message.step);
      stageOutcome(state, message.step, message.outcome, state.stopRequest !== null);
    }
  }
}

/** Not wanted: a second answer to a wait, and what a planner answered for a node that was started over since. */
function isWanted({ run, thinking }: DriveState, { event, node }: Extract<Message, { kind: 'event' }>): boolean {
  const isOfThisVisit = node === null || thinking.get(node) === nodeStateOf(run, node)?.visit;
  if (node !== null) thinking.delete(node);
  return !isOver(run.status) && isOfThisVisit && (event.type !== 'wait.closed' || run.waits.has(event.data.wait));
}

function mayEnd(state: DriveState): boolean {
  const isIdle = state.inFlight.size === 0 && state.thinking.size === 0 && state.expected.size === 0;
  return isOver(state.run.status) || (!hasNews(state) && isIdle);
}

/** Closes the drive, unless a message arrives while the last batch is written. */
async function end(state: DriveState): Promise<void> {
  await flush(state);
  if (state.error !== null) throw state.error;
  state.isClosed = mayEnd(state);
  if (state.isClosed) state.calls.abort();
}

/** The first request counts; a later one that is not gentle ends the calls that a gentle one lets finish. */
function requestStop(state: DriveState, request: RunSignal): boolean {
  if (state.isClosed) return false;
  state.stopRequest ??= request;
  const isFirst = state.stopRequest === request;
  if (request.isGentle !== true) {
    state.calls.abort();
    if (!isFirst) state.stopRequest = { ...state.stopRequest, isGentle: false };
  }
  state.wake?.();
  return isFirst;
}

/**
 * Calls in flight may end if the request is gentle, else they were asked to stop; those that do not end in time count as
 * cancelled, and so as in doubt.
 */
async function halt(state: DriveState): Promise<RunState> {
  const { run, inFlight } = state;
  await outcomesOfGentleStop(state);
  state.calls.abort();
  await outcomesWithinGrace(state);
  state.isClosed = true;
  if (state.error !== null) throw state.error;
  const stopped: Outcome = { status: 'cancelled', error: 'stopped before it ended' };
  endNestedCalls(state, stopped);
  for (const step of inFlight) stageOutcome(state, step, stopped);
  inFlight.clear();
  const event = isOver(run.status) || state.stopRequest === null ? null : stopEvent(run, state.stopRequest);
  if (event !== null) stage(state, event);
  await flush(state);
  return run;
}

/**
 * Resolves when no call is in flight and no planner is being asked, or a request came that does not wait for them. What
 * has nothing left to do then is over: its answer is there, and there is nothing to pause.
 */
async function outcomesOfGentleStop(state: DriveState): Promise<void> {
  const isBusy = (): boolean => state.inFlight.size + state.thinking.size > 0;
  if (!isBusy()) return;
  while (state.stopRequest?.isGentle === true && isBusy() && state.error === null) {
    await nextNews(state);
    takeMessages(state);
    if (state.unflushed.length > 0) flush(state).catch((error: unknown) => fail(state, error));
  }
  if (isBusy() || state.error !== null) return;
  const [last, ...others] = decide(state.run, state.world.tools);
  if (last?.kind === 'Finish' && others.length === 0) stage(state, stepEvent(state.run, last));
}

async function outcomesWithinGrace(state: DriveState): Promise<void> {
  const grace = new AbortController();
  const isTooLate = (): boolean => true;
  const deadline = state.world.sleep(GRACE_MS, grace.signal).then(isTooLate, isTooLate);
  for (let late = false; state.inFlight.size > 0 && !late; takeMessages(state)) {
    late = await Promise.race([deadline, nextNews(state).then(() => false)]);
    if (state.error !== null) break;
  }
  grace.abort();
}
