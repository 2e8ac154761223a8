/** How decided steps, outcomes and stops are written down as events. */
import { OkaError } from '../schema/errors.ts';
import { checkEvent, type NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { MODEL_FAILED, PLANNER_FAILED } from '../schema/outside-failure.ts';
import type { RunSignal } from '../schema/ports.ts';
import type { Budgets, Mode, RunLink, RunTurn } from '../schema/run.ts';
import type { Outcome } from '../schema/tool.ts';
import type { WaitAnswer } from '../schema/wait.ts';
import { usesDate } from './graph-templates.ts';
import { hasAcceptance, isAccepting } from './node-acceptance.ts';
import type { CallStep, Step } from './decide.ts';
import { isHandling } from './error-handler.ts';
import { failureOf, statusAfterFailure } from './node-failure.ts';
import { nodeTitle } from './graph-plan.ts';
import { turnOf } from './run-turns.ts';
import { isOver, nodeNamed, type RunState } from './run-state.ts';

/** The schema of events takes no longer reasons and errors. */
const LONGEST_REASON = 20_000;

type Ended = Extract<NewEvent, { type: 'call.ended' }>['data'];

export function plannerFailedEvent(run: RunState, node: string, error: string): NewEvent {
  return agentFailedEvent(run, node, `${PLANNER_FAILED}${error}`);
}

export function modelFailedEvent(run: RunState, node: string, error: string): NewEvent {
  return agentFailedEvent(run, node, `${MODEL_FAILED}${error}`);
}

/** Whether a run failed because a model could not be asked. */
export function hasModelFailed({ failure }: Pick<RunState, 'failure'>): boolean {
  return failure?.reason.startsWith(MODEL_FAILED) ?? false;
}

function agentFailedEvent(run: RunState, node: string, reason: string): NewEvent {
  const config = run.configs[nodeNamed(run, node) ?? -1];
  if (config === undefined) throw new Error(`node ${node} of run ${run.id} is not there`);
  const failure = failureOf(config, reason.slice(0, LONGEST_REASON / 2));
  return { type: 'node.settled', run: run.id, data: { node, ...failure } };
}

/** The event that writes a request to stop down; a mere stop leaves the run as it is, as does a pause of one that is paused. */
export function stopEvent(run: RunState, { kind, reason }: RunSignal): NewEvent | null {
  switch (kind) {
    case 'stop':
      return null;
    case 'pause':
      return run.status === 'paused' ? null : { type: 'run.paused', run: run.id, data: { reason } };
    case 'cancel':
      return { type: 'run.ended', run: run.id, data: { status: 'cancelled', reason } };
  }
}

/** What is written down before the outcome of a call that the kernel stopped. */
export function misclassifiedEvent(run: RunState, step: CallStep, overstepped: string): NewEvent {
  const { call, node } = step;
  return {
    type: 'call.misclassified',
    run: run.id,
    data: { call, node, class: step.class, reason: overstepped.slice(0, LONGEST_REASON) },
  };
}

/** The event that writes a decided step down. */
export function stepEvent(run: RunState, step: Exclude<Step, { kind: 'Think' }>): NewEvent {
  switch (step.kind) {
    case 'CallTool': {
      const { node, call, attempt, tool, input, key, together } = step;
      return {
        type: 'call.started',
        run: run.id,
        data: {
          call,
          node: step.isCheck === true ? null : node,
          attempt,
          tool,
          class: step.class,
          ...(step.judged === undefined ? {} : { judged: step.judged }),
          ...(step.once === true ? { once: true } : {}),
          ...(step.repeats === true ? { repeats: true } : {}),
          input,
          ...(key === null ? {} : { key }),
          ...(together === true ? { together } : {}),
        },
      };
    }
    case 'Wait':
      return { type: 'wait.opened', run: run.id, data: { wait: step.wait, node: step.node, for: step.for } };
    case 'Withdraw':
      return {
        type: 'wait.closed',
        run: run.id,
        data: {
          wait: step.wait,
          node: step.node,
          answer: { verdict: 'cancelled', text: 'an edge back starts this step over', by: 'oka' },
        },
      };
    case 'Settle':
      return {
        type: 'node.settled',
        run: run.id,
        data: {
          node: step.node,
          status: step.status,
          reason: step.reason.slice(0, LONGEST_REASON),
          output: step.output,
        },
      };
    case 'Handle':
      return { type: 'error.handled', run: run.id, data: step.handled };
    case 'Finish':
      return {
        type: 'run.ended',
        run: run.id,
        data: {
          status: 'done',
          reason: 'every step is settled',
          output: step.output,
          artifacts: run.artifacts.slice(0, 1000),
        },
      };
    case 'Fail':
      return {
        type: 'run.ended',
        run: run.id,
        data: { status: 'failed', reason: step.reason.slice(0, LONGEST_REASON) },
      };
  }
}

/** The event that writes the outcome of a call down; `isStopped`: the run was stopped, and the call was ended with it. */
export function outcomeEvent(
  run: RunState,
  step: { call: string; node: string | null },
  outcome: Outcome,
  retried: boolean,
  isStopped = false,
): NewEvent {
  const { call, node } = step;
  const data: Ended = { call, node, status: outcome.status };
  const settles = retried ? undefined : statusAfterOutcome(run, node, outcome);
  if ('output' in outcome) data.output = outcome.output;
  if ('error' in outcome) data.error = outcome.error.slice(0, LONGEST_REASON);
  if ('artifacts' in outcome && outcome.artifacts !== undefined) data.artifacts = outcome.artifacts;
  if ('usage' in outcome && outcome.usage !== undefined) data.usage = outcome.usage;
  if (retried) data.retried = true;
  if ('begun' in outcome) data.begun = false;
  if ('for' in outcome) data.for = outcome.for;
  if (isStopped) data.stopped = true;
  if (outcome.status === 'cancelled' && outcome.unseen === true) data.unseen = true;
  if (outcome.status === 'cancelled' && outcome.elsewhere === true) data.elsewhere = true;
  if (settles !== undefined) data.settles = settles;
  if ('state' in outcome && outcome.state !== undefined) {
    const { expect: _, ...change } = outcome.state;
    data.state = change;
  }
  return { type: 'call.ended', run: run.id, data };
}

/** What an outcome makes of its node, for those who only read events. */
function statusAfterOutcome(run: RunState, node: string | null, outcome: Outcome): 'done' | 'failed' | undefined {
  const index = nodeNamed(run, node);
  const config = index === undefined ? undefined : run.configs[index];
  if (config === undefined || config.kind === 'agent' || run.nodes[index ?? -1]?.again !== null) return undefined;
  if (outcome.status === 'ok') return isAccepting(run, index) ? undefined : 'done';
  if (outcome.status !== 'failed' && outcome.status !== 'denied') return undefined;
  if (outcome.status === 'failed' && isHandling(config)) return undefined;
  return statusAfterFailure(config);
}

export type StartOptions = {
  /** A name that no run has had: history is not searched for it. Who cannot be sure asks `stateOf` first. */
  id: string;
  title?: string;
  input?: Json;
  isInputGiven?: boolean;
  parent?: string | null;
  /** The earlier run that it is made from. */
  link?: RunLink;
  depth?: number;
  budgets?: Budgets;
  /** Name of the first state. */
  state?: string;
  /** With which runs it takes turns; by default as its graph says. Null: it works in the turn of a run around it. */
  turn?: RunTurn | null;
  /** What {{date}} stands for. */
  date?: string;
  /** The mode of the graph as it is written, where a person forced a looser one. */
  loosenedFrom?: Mode;
};

/** The event that begins a run. */
export function startEvent(
  graph: Graph,
  sha256: string,
  request: StartOptions,
  tools: string,
  checksAcceptance = hasAcceptance(graph),
): NewEvent {
  const turn = request.turn === undefined ? turnOf(graph, request.input ?? null) : request.turn;
  const nodes = graph.nodes
    .slice(0, 1000)
    .map((node) => ({ id: node.id, title: nodeTitle(node), needs: node.needs, acceptance: node.acceptance }));
  return {
    type: 'run.started',
    run: request.id,
    data: {
      title: request.title ?? graph.title ?? graph.id,
      mode: graph.mode,
      parent: request.parent ?? null,
      depth: request.depth ?? 0,
      state: request.state ?? 'EXECUTE',
      graph: { id: graph.id, sha256 },
      nodes,
      budgets: { ...graph.budgets, ...request.budgets },
      input: request.input ?? null,
      ...(request.isInputGiven === false ? { input_by: 'tool' as const } : {}),
      tools,
      ...(request.date === undefined || !usesDate(graph) ? {} : { date: request.date }),
      ...(request.link === undefined ? {} : { link: request.link }),
      ...(turn === undefined || turn === null ? {} : { turn }),
      ...(request.loosenedFrom === undefined ? {} : { loosened_from: request.loosenedFrom }),
      ...(checksAcceptance ? { acceptance: 'checked' as const } : {}),
    },
  };
}

/** The event that closes a wait; refused when nothing waits for it. */
export function waitClosedEvent(run: RunState, wait: string, answer: WaitAnswer): NewEvent {
  if (isOver(run.status)) throw new OkaError('run-is-over', `run ${run.id} is ${run.status} and waits for nothing`);
  const open = run.waits.get(wait);
  if (open === undefined) throw new OkaError('no-such-wait', `run ${run.id} does not wait for "${wait}"`);
  const event: NewEvent = { type: 'wait.closed', run: run.id, data: { wait, node: open.node, answer } };
  checkEvent(event);
  return event;
}
