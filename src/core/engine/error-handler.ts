/**
 * Owns: what is done about a node that has failed for good and has `on_error: handle`. Pure: the same state gives the
 * same step, so that a replay decides it again.
 * Does not own: what a model is asked and whether its answer changes a target (the tool `error.decide`).
 *
 * H1 Rules come first: a rate limit that says how long is waited out, what ran out of time is tried once with double the
 *    time, a missing tool is waited for. A model is asked only if the graph allows it.
 * H2 A model chooses among retry with another input, the fallback, skip and fail, and only what is possible here. It
 *    never chooses the tool.
 * H3 At most two decisions of a model for a node and five for a run, whatever it answers; each rule has a limit, too.
 * H4 What changes the world outside, or was allowed for one attempt, is never repeated; a local write that is not
 *    idempotent by no rule, only with another input that a model chose.
 * H5 Everything that is done is an event with its reason before it happens.
 */
import { ERROR_DECIDE, type ErrorDecideInput, type ErrorDecision } from '../schema/error-handling.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { WaitFor } from '../schema/wait.ts';
import { effectOf } from './repeat-rule.ts';
import { isTimeLimit, missingTool, pauseInError } from './error-rules.ts';
import { nodeTitle } from './graph-plan.ts';
import {
  type HandledCounts,
  type NodeFailure,
  type NodeState,
  nodeNamed,
  type OpenCall,
  type RunState,
} from './run-state.ts';
import { settleNode } from './routing.ts';
import { workedMs } from './work-time.ts';

export type Handled = Extract<NewEvent, { type: 'error.handled' }>['data'];
type Of<T extends Event['type']> = Extract<Event, { type: T }>;

const MOST_OF_MODEL = { node: 2, run: 5 };
const MOST_OF_RULE = { rate: 3, timeout: 1, tool: 1 };
const LONGEST_REASON = 4000;
/** How many of the handled errors the state of a run lists; the events have all of them. */
const MOST_LISTED = 50;

/** What to do about a failure: an event that says so, or the question to a model. */
export function handlerStep(run: RunState, index: number, failure: NodeFailure): Handled | { ask: ErrorDecideInput } {
  const config = run.configs[index];
  if (config === undefined) throw new Error(`node ${index} of run ${run.id} is not there`);
  if (failure.decision === 'none') return lastResort(config, failure.reason);
  if (failure.decision !== null) return byModel(run, index, config, failure, failure.decision);
  const rule = byRule(run, config, failure);
  if (rule !== null) return rule;
  return mayAskModel(run, config)
    ? { ask: questionFor(run, index, config, failure) }
    : lastResort(config, failure.reason);
}

function byRule(run: RunState, config: Node, { reason, call }: NodeFailure): Handled | null {
  const counts = countsOf(run, config.id);
  const about = { node: config.id, by: 'rule' as const };
  const pause = pauseInError(reason);
  if (pause !== null && counts.rate < MOST_OF_RULE.rate && mayRepeatAlike(run, call))
    return {
      ...about,
      rule: 'rate',
      action: 'wait',
      reason: `rate limit: waits ${pause / 1000} s as it says`,
      for: timer(run, pause),
    };
  const seconds = config.timeout_seconds;
  const isLate = isTimeLimit(reason) && counts.timeout < MOST_OF_RULE.timeout;
  if (isLate && seconds !== undefined && secondsLeft(run) >= 2 * seconds && mayRepeatAlike(run, call))
    return {
      ...about,
      rule: 'timeout',
      action: 'retry',
      reason: `ran out of time: once more with ${2 * seconds} s`,
      timeout_factor: 2,
    };
  const name = missingTool(reason);
  if (name === call.tool && counts.tool < MOST_OF_RULE.tool && (mayRepeat(run, call) || wasNeverMade(run, call)))
    return {
      ...about,
      rule: 'tool',
      action: 'wait',
      reason: `the tool ${name} is not there`,
      for: { kind: 'requirement', name },
    };
  return null;
}

const timer = (run: RunState, ms: number): Handled['for'] => ({
  kind: 'timer',
  until: new Date(Date.parse(run.at) + ms).toISOString(),
  ms,
  why: 'a rate limit',
});

/** A person's yes is for one attempt, and what was done outside may have happened in part (H4). */
function mayRepeat(run: RunState, call: OpenCall): boolean {
  const effect = effectOf(call);
  return effect !== 'external_mutation' && effect !== 'deny' && call.approved !== true && hasRetries(run);
}

/** The same input once more, by a rule: not for what would then be done twice. */
const mayRepeatAlike = (run: RunState, call: OpenCall): boolean => call.once !== true && mayRepeat(run, call);

/** A tool that is not there has the class `deny`, and no tool of that class is ever reached. */
const wasNeverMade = (run: RunState, call: OpenCall): boolean => call.class === 'deny' && hasRetries(run);

const hasRetries = ({ budgets, spent }: RunState): boolean =>
  spent.retries < (budgets.retries ?? Number.POSITIVE_INFINITY);

/** By the time of the latest event, so that a replay decides the same. */
function secondsLeft(run: RunState): number {
  return (run.budgets.seconds ?? Number.POSITIVE_INFINITY) - workedMs(run, Date.parse(run.at)) / 1000;
}

function mayAskModel(run: RunState, { id }: Node): boolean {
  const { model } = countsOf(run, id);
  return run.plan.graph.handler?.model === true && model < MOST_OF_MODEL.node && run.handling.model < MOST_OF_MODEL.run;
}

function questionFor(run: RunState, index: number, config: Node, { reason, call }: NodeFailure): ErrorDecideInput {
  return {
    node: config.id,
    title: nodeTitle(config).slice(0, 500),
    tool: call.tool,
    input: call.input,
    error: reason.slice(0, LONGEST_REASON),
    possible: possibleFor(run, index, config, call),
  };
}

/** What can be done here; skipping only where nothing needs the node. */
function possibleFor(run: RunState, index: number, config: Node, call: OpenCall): ErrorDecision['action'][] {
  const canSkip = run.nodes[index]?.map === null && (run.plan.behind[index] ?? []).length === 0;
  return [
    ...(mayRepeat(run, call) ? (['retry'] as const) : []),
    ...(config.fallback === undefined ? [] : (['fallback'] as const)),
    ...(canSkip ? (['skip'] as const) : []),
    'fail',
  ];
}

function byModel(run: RunState, index: number, config: Node, failure: NodeFailure, decision: ErrorDecision): Handled {
  const { action, reason, input } = decision;
  const isPossible = possibleFor(run, index, config, failure.call).includes(action);
  const isChange =
    action !== 'retry' || (input !== undefined && JSON.stringify(input) !== JSON.stringify(failure.call.input));
  if (!isPossible || !isChange)
    return lastResort(config, `${failure.reason} (a model chose ${action}, which is not possible here)`);
  const about = { node: config.id, by: 'model' as const, action, reason: reason.slice(0, LONGEST_REASON) };
  if (action === 'retry') return { ...about, input: input ?? null };
  return { ...about, settles: STATUS[action] };
}

const STATUS = { fallback: 'done', skip: 'skipped', fail: 'failed' } as const;

/** Nothing helped: the fallback of the node if it has one, else it has failed. */
function lastResort(config: Node, reason: string): Handled {
  const action = config.fallback === undefined ? 'fail' : 'fallback';
  return { node: config.id, by: 'rule', action, reason: reason.slice(0, LONGEST_REASON), settles: STATUS[action] };
}

/** Whether the failure of a call of this node is handled before it counts. */
export function isHandling(config: Node | undefined): boolean {
  return config?.kind === 'tool' && config.tool !== 'run.start' && config.on_error === 'handle';
}

/** A call of the node has failed for good, with all its retries. */
export function startHandling(run: RunState, index: number, call: OpenCall, reason: string): void {
  const node = run.nodes[index];
  if (node === undefined) return;
  node.failure = { reason, call, question: null, decision: null };
  node.status = 'running';
  run.active.add(index);
  run.ready.add(index);
}

/** The name of the next question about a failure of a node; counted apart from its attempts. */
export function questionName(run: RunState, { id }: Node, { visit, questions }: NodeState): string {
  return `${run.id}.${id}.${visit}.h${questions + 1}`;
}

/** True when the event asked a model about a failure; then it was folded. */
export function foldQuestionStarted(run: RunState, { data }: Of<'call.started'>): boolean {
  if (data.node !== null || data.tool !== ERROR_DECIDE) return false;
  const index = nodeNamed(run, (data.input as { node?: string }).node ?? null) ?? -1;
  const [config, node] = [run.configs[index], run.nodes[index]];
  if (config === undefined || node?.failure == null || data.call !== questionName(run, config, node)) return false;
  node.failure.question = data.call;
  node.questions += 1;
  const counts = countsOf(run, config.id);
  run.handling.nodes[config.id] = { ...counts, model: counts.model + 1 };
  run.handling.model += 1;
  run.ready.delete(index);
  run.active.add(index);
  return true;
}

/** What a model decided; one that could not be asked has decided nothing, and the last resort follows. */
export function foldQuestionEnded(run: RunState, { data }: Of<'call.ended'>): void {
  if (data.node !== null) return;
  const index = nodeNamed(run, /\.([^.]+)\.\d+\.h\d+$/.exec(data.call)?.[1] ?? null);
  const failure = run.nodes[index ?? -1]?.failure ?? null;
  if (index === undefined || failure === null || failure.question !== data.call) return;
  failure.question = null;
  run.ready.add(index);
  if (data.status === 'cancelled') return; // it was stopped, and is asked again
  if (data.status === 'waiting' && data.for !== undefined) return awaitQuestion(run, index, data.for);
  failure.decision = data.status === 'ok' ? (data.output as ErrorDecision) : 'none';
  if (data.status !== 'ok')
    failure.reason = `${failure.reason} (no model decided about it: ${data.error ?? data.status})`;
}

/** The question could not be asked yet, and does not count until it is. */
function awaitQuestion(run: RunState, index: number, awaited: WaitFor): void {
  const [config, node] = [run.configs[index], run.nodes[index]];
  if (config === undefined || node === undefined) return;
  const counts = countsOf(run, config.id);
  run.handling.nodes[config.id] = { ...counts, model: counts.model - 1 };
  run.handling.model -= 1;
  node.awaiting = awaited;
}

export function foldHandled(run: RunState, { data }: Of<'error.handled'>): void {
  const index = nodeNamed(run, data.node);
  const [config, node] = [run.configs[index ?? -1], run.nodes[index ?? -1]];
  if (index === undefined || config === undefined || node?.failure == null) return;
  const { call } = node.failure;
  count(run, data);
  node.failure = null;
  switch (data.action) {
    case 'retry':
    case 'wait':
      return repeatCall(run, index, node, call, data);
    case 'fallback':
      return settleNode(run, index, 'done', config.fallback ?? null, `fallback after: ${data.reason}`);
    case 'skip':
      return settleNode(run, index, 'skipped', null, data.reason);
    case 'fail':
      return settleNode(run, index, 'failed', null, data.reason);
  }
}

function repeatCall(
  run: RunState,
  index: number,
  node: NodeState,
  call: OpenCall,
  data: Of<'error.handled'>['data'],
): void {
  const { input, timeout_factor: factor = 1, for: awaited } = data;
  const before = node.handled ?? { timeoutFactor: 1, isChanged: false };
  node.again = input === undefined ? call : { ...call, input };
  node.handled = {
    timeoutFactor: Math.max(before.timeoutFactor, factor),
    isChanged: before.isChanged || input !== undefined,
  };
  if (awaited !== undefined) node.awaiting = awaited;
  run.spent.retries += 1;
  run.active.add(index);
  run.ready.add(index);
}

const NO_COUNTS: HandledCounts = { rate: 0, timeout: 0, tool: 0, model: 0 };

const countsOf = ({ handling }: RunState, id: string): HandledCounts => handling.nodes[id] ?? NO_COUNTS;

function count(run: RunState, { node, by, action, reason, rule }: Of<'error.handled'>['data']): void {
  const counts = countsOf(run, node);
  if (rule !== undefined) run.handling.nodes[node] = { ...counts, [rule]: counts[rule] + 1 };
  if (run.handling.listed.length < MOST_LISTED) run.handling.listed.push({ node, by, action, reason });
}

/** The input of the call that asks a model. */
export const questionInput = (ask: ErrorDecideInput): Json => ({ ...ask, possible: [...ask.possible] });
