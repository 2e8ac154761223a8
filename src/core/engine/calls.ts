/**
 * Owns: making the call that a step decided, and staging its outcome.
 * Does not own: what the chain and the tool are given (tool-call.ts), what an outcome means (fold-run.ts).
 */
import type { Node } from '../schema/graph.ts';
import { checkOutcome } from './data-contract.ts';
import { awaitsSpace, messageOf } from '../schema/errors.ts';
import type { Usage } from '../schema/effect.ts';
import type { Outcome, ToolCall } from '../schema/tool.ts';
import { accountLeft, reserve } from './account.ts';
import { boundsOf } from './call-bounds.ts';
import { estimateCost } from './run-budget.ts';
import type { CallStep } from './decide.ts';
import { checkStateWrite, refuseStateWrite } from './graph-state.ts';
import { isAccepting } from './node-acceptance.ts';
import { isSafeInDoubt } from './repeat-rule.ts';
import { nodeNamed, type RunState } from './run-state.ts';
import { deliver, type DriveState, fail, flushBefore, stage } from './drive-state.ts';
import { toolCallFor } from './tool-call.ts';
import { misclassifiedEvent, outcomeEvent } from './step-events.ts';

/** Makes a call whose intent is staged; its outcome is delivered to the loop. */
export function startCall(state: DriveState, step: CallStep): void {
  const usage = estimateCost(state.world.tools, step.tool, step.input);
  state.inFlight.add(step);
  const call = toolCallFor(state, step, usage);
  outcomeOf(state, step, call, usage, flushBefore(state, step.class)).then(
    (outcome) => deliver(state, { kind: 'outcome', step, outcome: failedUnlessStopped(state, step, outcome) }),
    (error: unknown) => fail(state, error),
  );
}

/** The budget is reserved right before the call: what was decided with it and is made after it does not count yet. */
async function outcomeOf(
  state: DriveState,
  step: CallStep,
  call: ToolCall,
  usage: Usage,
  durable: Promise<void>,
): Promise<Outcome> {
  await durable;
  if (state.calls.signal.aborted) return { status: 'cancelled', error: 'stopped before it began', begun: false };
  reserve(state.account, usage, 1);
  try {
    const made = checkOutcome(configOf(state, step), await state.world.invoke(call));
    const outcome = state.world.storeOutput(made);
    return outcome instanceof Promise ? await outcome : outcome;
  } catch (error) {
    if (awaitsSpace(step, error)) throw error;
    return { status: 'cancelled', error: messageOf(error) };
  } finally {
    reserve(state.account, usage, -1);
  }
}

/** The node whose work a call is; a check of it promises nothing. */
const configOf = ({ run }: DriveState, { node, isCheck }: CallStep): Node | undefined =>
  isCheck === true ? undefined : run.configs[nodeNamed(run, node) ?? -1];

/**
 * Only a call that was asked to stop is cancelled, and so in doubt; or one whose tool could not see how it ended. What
 * may be repeated has been, as often as it may: there is nothing to ask about.
 */
function failedUnlessStopped(state: DriveState, step: CallStep, outcome: Outcome): Outcome {
  if (outcome.status === 'failed' && outcome.unseen === true)
    return isSafeInDoubt(step, state.world.tools(step.tool))
      ? outcome
      : { status: 'cancelled', error: outcome.error, unseen: true };
  if (outcome.status !== 'cancelled' || outcome.unseen === true || state.calls.signal.aborted) return outcome;
  return { ...outcome, status: 'failed' };
}

/**
 * Stages how a call ended. An outcome that the ledger refuses becomes a failure that says so (R3). `isOrdered`: it has
 * ended because the run was stopped, and its tool has reported that.
 */
export function stageOutcome(state: DriveState, step: CallStep, ended: Outcome, isOrdered = false): void {
  const { run } = state;
  const outcome = mayWriteState(run, step.node) ? checkStateWrite(state.world.state, ended) : refuseStateWrite(ended);
  try {
    if (outcome.status === 'failed' && outcome.overstepped !== undefined && step.class === 'read')
      stage(state, misclassifiedEvent(run, step, outcome.overstepped));
    const isStopped = outcome.status === 'cancelled' && !('begun' in outcome) && isOrdered;
    stage(state, outcomeEvent(run, recordedAs(step), outcome, isTriedAgain(state, step, outcome), isStopped));
  } catch (error) {
    const failed: Outcome = { status: 'failed', error: `the outcome could not be written down: ${messageOf(error)}` };
    stage(state, outcomeEvent(run, recordedAs(step), failed, false));
  }
}

/** State is written when the node is done: its call must be all of it. */
function mayWriteState(run: RunState, node: string): boolean {
  const index = nodeNamed(run, node);
  return run.configs[index ?? -1]?.kind === 'tool' && !isAccepting(run, index);
}

/**
 * Whether a read that failed together with others is tried again alone; the chain retries only what is made alone. Only
 * what says that it may succeed later is: of any other failure the chain has drawn its conclusions already (heal).
 */
function isTriedAgain({ run, account }: DriveState, step: CallStep, outcome: Outcome): boolean {
  if (step.together !== true || outcome.status !== 'failed' || outcome.temporary !== true) return false;
  return boundsOf(run, step.node).retries > 0 && accountLeft(account, 0).retries >= 1;
}

/** A check of the acceptance of a node is recorded as a call of no node. */
const recordedAs = ({ call, node, isCheck }: CallStep): { call: string; node: string | null } => ({
  call,
  node: isCheck === true ? null : node,
});
