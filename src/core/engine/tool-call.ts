/**
 * Owns: what the chain and the tool are given for a step: who wrote it, what it may spend, how a retry is recorded
 * before it acts, and `act`, by which a call or a planner calls other tools.
 *
 * Calls within a call belong to no node: after a crash the whole outer call is made again.
 */
import { STEP_CHECK } from '../schema/acceptance.ts';
import { ERROR_DECIDE } from '../schema/error-handling.ts';
import { messageOf } from '../schema/errors.ts';
import type { Usage } from '../schema/effect.ts';
import type { Act, Author, CallBounds, Left, Origin, Outcome, ToolCall } from '../schema/tool.ts';
import { boundsOf, checkBounds, innerBounds } from './call-bounds.ts';
import { accountLeft, reserve } from './account.ts';
import { estimateCost, NO_COST } from './run-budget.ts';
import type { CallStep } from './decide.ts';
import { awaitTurn, type DriveState, flushBefore, stage, workTime } from './drive-state.ts';
import { refuseStateWrite } from './graph-state.ts';
import { authorOf, originsByAuthor, originsOf } from './origins.ts';
import { callTerms } from './repeat-rule.ts';
import { nodeNamed, nodeStateOf, type RunState } from './run-state.ts';
import { stepEvent, outcomeEvent } from './step-events.ts';

export function toolCallFor(state: DriveState, step: CallStep, usage: Usage): ToolCall {
  const { run, world } = state;
  const { node, call, attempt, tool, input, key, approval } = step;
  const { tool_calls } = accountLeft(state.account, workTime(state));
  return {
    run: run.id,
    node,
    call,
    attempt,
    tool,
    class: step.class,
    ...(step.judged === undefined ? {} : { judged: step.judged }),
    ...(step.once === true ? { once: true } : {}),
    input,
    key,
    author: authorIn(run, step),
    origins: () => originsIn(run, step, world.tools(tool)?.targets ?? []),
    signal: state.calls.signal,
    isStrict: run.mode === 'strict',
    bounds: boundsIn(run, step),
    left: () => ({ ...withOwnShare(accountLeft(state.account, workTime(state)), usage), tool_calls }),
    pauseClock: () => awaitTurn(state, step.call),
    approval,
    ...(run.plan.graph.desk === undefined ? {} : { desk: run.plan.graph.desk }),
    ...(run.plan.graph.folders === undefined ? {} : { folders: run.plan.graph.folders }),
    previous: null,
    intend: (again) => recordRetry(state, step, again),
    act: actFor(state, () => step.call, step),
  };
}

/** A read that is made together with others is not tried again among them, but alone (turn-reads.ts). */
function boundsIn(run: RunState, { node, tool, ask, isCheck, together, isRetry }: CallStep): CallBounds {
  if ((tool === STEP_CHECK || tool === ERROR_DECIDE) && isCheck === true) return checkBounds;
  const bounds = boundsOf(run, node, ask);
  if (together === true) return { ...bounds, retries: 0 };
  return isRetry === true ? { ...bounds, retries: Math.max(0, bounds.retries - 1) } : bounds;
}

/** What was reserved for the call itself is there for it. */
function withOwnShare(left: Left, usage: Usage): Left {
  if (usage === NO_COST) return left;
  return {
    ...left,
    tokens: left.tokens + (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0),
    usd: left.usd + (usage.usd ?? 0),
    output_bytes: left.output_bytes + (usage.output_bytes ?? 0),
  };
}

type Within = Pick<CallStep, 'node' | 'isCheck'>;

/** The checks of a step are words of whoever wrote the graph, whatever the step itself was filled with. */
function authorIn(run: RunState, { node, isCheck }: Within): Author {
  return isCheck === true ? run.plan.graph.author : authorOf(run, run.configs[nodeNamed(run, node) ?? -1]);
}

function originsIn(run: RunState, step: CallStep, targets: readonly string[]): Readonly<Record<string, Origin>> {
  const { node, input, isCheck } = step;
  return isCheck === true ? originsByAuthor(run, input, targets) : originsOf(run, node, input, targets);
}

/** A further attempt within one call: how the last one ended and that another follows, in one batch. */
async function recordRetry(state: DriveState, step: CallStep, again: ToolCall): Promise<void> {
  const { run } = state;
  if (nodeStateOf(run, step.node)?.open?.call !== step.call)
    throw new Error('an edge back has started the node over in the meantime');
  stage(state, outcomeEvent(run, step, again.previous ?? { status: 'failed', error: 'unknown' }, true));
  Object.assign(step, { call: again.call, attempt: again.attempt, repeats: true });
  stage(state, stepEvent(run, step));
  await flushBefore(state, step.class);
}

/** What the calls within `outer` go through; `approval` is what a person allowed for it. */
export function actFor(
  state: DriveState,
  outer: () => string,
  within: Pick<CallStep, 'node' | 'approval' | 'isCheck'>,
): Act {
  const { node, approval, isCheck } = within;
  let count = 0;
  return async (tool, input, by = {}) => {
    const { run, world } = state;
    // The run may have ended by now: a tool goes on for a moment after a stop, and nothing follows the end of a run.
    if (state.calls.signal.aborted) return { status: 'cancelled', error: 'stopped before it began', begun: false };
    const author = by.author ?? authorIn(run, within);
    const call = `${outer()}.${(count += 1)}`;
    const terms = callTerms(world.tools(tool), input, author, run.plan.graph.folders);
    stage(state, { type: 'call.started', run: run.id, data: { call, node: null, tool, ...terms, input } });
    state.nested.add(call);
    await flushBefore(state, terms.class);
    const what = { call, attempt: 1, tool, ...terms, input, key: null, ...(isCheck === true ? { isCheck } : {}) };
    return nestedOutcome(state, { kind: 'CallTool', node, ...what, approval, ask: false }, { ...by, author });
  };
}

async function nestedOutcome(
  state: DriveState,
  step: CallStep,
  { pauseClock: pauseOuter, ...by }: Pick<ToolCall, 'author' | 'trial' | 'pauseClock'>,
): Promise<Outcome> {
  const { run, world, nested } = state;
  const usage = estimateCost(world.tools, step.tool, step.input);
  reserve(state.account, usage, 1);
  const asked = toolCallFor(state, step, usage);
  const pauseClock = (): (() => void) => {
    const resume = [awaitTurn(state, step.call), pauseOuter?.()];
    return () => resume.forEach((each) => each?.());
  };
  const made: ToolCall = { ...asked, ...by, pauseClock, bounds: innerBounds(asked.bounds) };
  const outcome = refuseStateWrite(await world.invoke(made).catch((error: unknown) => outcomeOfThrow(state, error)));
  const stored = await world.storeOutput(outcome);
  reserve(state.account, usage, -1);
  if (nested.delete(step.call)) stage(state, outcomeEvent(run, { call: step.call, node: null }, stored, false));
  return outcome;
}

function outcomeOfThrow(state: DriveState, error: unknown): Outcome {
  return { status: state.calls.signal.aborted ? 'cancelled' : 'failed', error: messageOf(error) };
}

/** Gives every call within a call that is still open this outcome. */
export function endNestedCalls(state: DriveState, outcome: Outcome): void {
  for (const call of state.nested) stage(state, outcomeEvent(state.run, { call, node: null }, outcome, false));
  state.nested.clear();
}
