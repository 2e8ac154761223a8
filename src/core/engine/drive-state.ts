/**
 * Owns: what one drive of a run remembers while it works, and the few things every part of it does: stage an event,
 * flush, deliver a message to the loop, and wait for the next one.
 * Does not own: the loop (drive.ts), the calls (calls.ts, tool-call.ts).
 */
import { messageOf } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { RunSignal } from '../schema/ports.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import type { Outcome } from '../schema/tool.ts';
import { withEffects } from './effects.ts';
import { type Account, closeChildAccount } from './account.ts';
import type { CallStep } from './decide.ts';
import { applyEvent } from './fold-run.ts';
import type { RunState } from './run-state.ts';
import type { World } from './world.ts';
import { clockJump, clockOffset, turnAwaited } from './work-time.ts';

/** What the loop is notified of: a call that ended, or an event; `node` is the node whose planner answered with it. */
export type Message =
  | { kind: 'outcome'; step: CallStep; outcome: Outcome }
  | { kind: 'event'; event: NewEvent; node: string | null; onStaged?: (() => void) | undefined };

export type DriveState = {
  readonly run: RunState;
  readonly world: World;
  /** What the run may still spend. */
  readonly account: Account;
  /** Staged events that no flush was asked for yet. */
  readonly unflushed: Event[];
  /** What has arrived since the loop last read it. */
  readonly messages: Message[];
  /** Calls of nodes that have no outcome yet, and names of the calls within calls that have none. */
  readonly inFlight: Set<CallStep>;
  readonly nested: Set<string>;
  /** Calls that wait for their turn on the desk, and since when the run does nothing else. */
  readonly awaitingTurn: Set<string>;
  idleSince: number | null;
  /** Nodes whose planner is being asked, and at which visit. */
  readonly thinking: Map<string, number | undefined>;
  /** Waits that will end by themselves, and those that turned out not to. */
  readonly expected: Set<string>;
  readonly unexpected: Set<string>;
  /** Aborted when the calls of this drive are to stop. */
  readonly calls: AbortController;
  /** What the clock shows beyond the monotonic one, as far as the run's events know. */
  offset: number;
  stopRequest: RunSignal | null;
  /** Why the drive cannot go on: the ledger failed. */
  error: Error | null;
  isClosed: boolean;
  wake: (() => void) | null;
};

export function newDriveState(run: RunState, world: World, account: Account, unflushed: Event[]): DriveState {
  return {
    run,
    world,
    account,
    unflushed,
    messages: [],
    inFlight: new Set(),
    nested: new Set(),
    awaitingTurn: new Set(),
    idleSince: null,
    thinking: new Map(),
    expected: new Set(),
    unexpected: new Set(),
    calls: new AbortController(),
    offset: clockOffset(world),
    stopRequest: null,
    error: null,
    isClosed: false,
    wake: null,
  };
}

/** Writes an event and folds it into the run. It is durable after the next flush. */
export function stage(state: DriveState, event: NewEvent): Event {
  recordClockJump(state);
  if (state.idleSince !== null) recordIdleTime(state, state.idleSince);
  return stageOnly(state, event);
}

/** A call waits for its turn on the desk until what is given back is called. */
export function awaitTurn(state: DriveState, call: string): () => void {
  state.awaitingTurn.add(call);
  noteIdleTime(state);
  return () => {
    if (!state.isClosed && state.idleSince !== null) recordIdleTime(state, state.idleSince);
    state.awaitingTurn.delete(call);
  };
}

/** Notes since when everything that the run does is to wait for its turn on the desk. */
export function noteIdleTime(state: DriveState): void {
  const { awaitingTurn, inFlight, thinking, world } = state;
  if (thinking.size > 0 || state.idleSince !== null) return;
  const waits = [...awaitingTurn];
  if ([...inFlight].every(({ call }) => waits.some((each) => each === call || each.startsWith(`${call}.`))))
    state.idleSince = world.monotonic();
}

/** Before anything else is staged: what comes next is work. */
function recordIdleTime(state: DriveState, since: number): void {
  const awaited = turnAwaited(state.run, state.world.monotonic() - since);
  state.idleSince = null;
  if (awaited !== null && state.run.activeSince !== null) stageOnly(state, awaited);
}

/** Of a clock that was set while the run was not at work, its events need to know nothing. */
function recordClockJump(state: DriveState): void {
  const jump = clockJump(state.run, state.offset, state.world);
  if (jump === null && state.run.activeSince !== null) return;
  state.offset = clockOffset(state.world);
  if (jump !== null) stageOnly(state, jump);
}

/** The time by which the run has been at work so long as it has, also right after the clock was set. */
export const workTime = ({ offset, world }: DriveState): number => world.monotonic() + offset;

function stageOnly(state: DriveState, event: NewEvent): Event {
  if (event.type === 'wait.closed') closeChildAccount(state.account, state.run, event.data);
  const staged = state.world.events.stage(withEffects(state.run, event));
  state.unflushed.push(staged);
  applyEvent(state.run, staged);
  if (staged.type === 'call.ended' && staged.data.state !== undefined) state.world.state.note(staged);
  return staged;
}

export function flush(state: DriveState): Promise<void> {
  return state.world.events.flush(state.unflushed.splice(0));
}

/** Resolves when a call of this class may act (R1): at once for a read, else when its intent is durable. */
export function flushBefore(state: DriveState, effect: SideEffectClass): Promise<void> {
  const flushed = flush(state);
  if (effect !== 'read') return flushed;
  flushed.catch((error: unknown) => fail(state, error));
  return Promise.resolve();
}

export function deliver(state: DriveState, message: Message): void {
  state.messages.push(message);
  state.wake?.();
}

/** Ends the drive with an error; what was decided but is not durable is lost with it. */
export function fail(state: DriveState, error: unknown): void {
  state.error = error instanceof Error ? error : new Error(messageOf(error));
  state.wake?.();
}

export function hasNews(state: DriveState): boolean {
  return state.messages.length > 0 || state.stopRequest !== null || state.error !== null;
}

/** Resolves at the next message, stop request or failure. */
export async function nextNews(state: DriveState): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  state.wake = resolve;
  await promise;
  state.wake = null;
}

export function callsInFlight({ inFlight, nested }: DriveState): number {
  return inFlight.size + nested.size;
}
