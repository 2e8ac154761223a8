/** The agent part of a run's state: what its planner decided, how that ended, and what it is asked next. */
import type { Decision } from '../schema/decision.ts';
import type { Json } from '../schema/json.ts';
import type { Outcome } from '../schema/tool.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import { type StateGraph, statesToCall } from './agent-states.ts';
import type { AgentState } from './run-state.ts';

/** After this many answers in a row that are not allowed, the node fails. */
export const MOST_REJECTIONS = 3;

type AgentEnd = { status: 'done'; output: Json; reason: string } | { status: 'failed'; reason: string };

export function newAgent(start: string): AgentState {
  return {
    state: start,
    turn: 0,
    evidence: [],
    current: 0,
    question: null,
    queue: [],
    reads: [],
    rejections: 0,
    problem: null,
  };
}

/** Notes a decision; returns how the node ends, if it does. */
export function applyDecision(agent: AgentState, turn: number, decision: Decision): AgentEnd | null {
  agent.turn = turn + 1;
  agent.rejections = 0;
  agent.problem = null;
  agent.current = agent.evidence.length;
  const pending = { turn, outcome: null, output: null, error: null };
  switch (decision.kind) {
    case 'Transition':
      agent.evidence.push({ ...pending, decision });
      agent.state = decision.to;
      return decision.to === 'failed'
        ? { status: 'failed', reason: decision.rationale || 'the agent stopped without a result' }
        : null;
    case 'Finish':
      agent.evidence.push({ ...pending, decision });
      return { status: 'done', output: decision.output, reason: decision.rationale };
    case 'Fail':
      agent.evidence.push({ ...pending, decision });
      return { status: 'failed', reason: decision.reason };
    case 'AskHuman':
      agent.evidence.push({ ...pending, decision });
      agent.question = decision;
      return null;
    case 'CallTool': {
      const { also = [], ...first } = decision;
      const calls = [first, ...also.map((call) => ({ kind: 'CallTool' as const, ...call, rationale: '' }))];
      agent.evidence.push(...calls.map((call) => ({ ...pending, decision: call })));
      agent.queue = calls.map(({ tool, input }, index) => ({ tool, input, entry: agent.current + index }));
      return null;
    }
  }
}

/** Takes the call that was started from the queue; one that is repeated is not there any more. */
export function takeQueued(agent: AgentState, states: StateGraph, call: StartedCall, isRepeated: boolean): void {
  const next = isRepeated ? undefined : agent.queue.shift();
  if (next !== undefined) agent.current = next.entry;
  moveToCall(agent, states, call);
}

type StartedCall = { tool: string; class: SideEffectClass };

/** A call that is made moves the agent to the nearest state that allows it; one that no state allows is denied later. */
export function moveToCall(agent: AgentState, states: StateGraph, call: StartedCall): void {
  agent.state = statesToCall(states, agent.state, call)?.at(-1) ?? agent.state;
}

/**
 * Notes how the call in progress, or the question, ended; the next call of the turn follows. After one that did not succeed the rest is
 * not made, unless it only read: later calls may have relied on what it was to change.
 */
export function recordOutcome(
  agent: AgentState,
  outcome: Outcome['status'],
  output: Json,
  error: string | null,
  effect: SideEffectClass | null = null,
): void {
  const current = agent.evidence[agent.current];
  if (current !== undefined) Object.assign(current, { outcome, output, error });
  if (outcome !== 'ok' && effect !== 'read') agent.queue = [];
}

/** Notes an answer that was not allowed; returns why the node fails, if it does. */
export function applyRejection(agent: AgentState, reason: string): string | null {
  agent.rejections += 1;
  agent.problem = reason;
  return agent.rejections >= MOST_REJECTIONS
    ? `the planner answered ${agent.rejections} times in a row what is not allowed: ${reason}`
    : null;
}

/** The call in progress was not made, because something is missing, and a person said what to do instead. */
export function recordAdvice(agent: AgentState, question: string, text: string): void {
  recordOutcome(agent, 'failed', null, question);
  const decision = { kind: 'AskHuman' as const, question, rationale: '' };
  agent.evidence.push({ turn: agent.turn - 1, decision, outcome: 'ok', output: text, error: null });
}
