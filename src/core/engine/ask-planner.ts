/** Owns: asking the planner of an agent, and holding its answer against what is allowed. */
import { Decision } from '../schema/decision.ts';
import type { NewEvent } from '../schema/event.ts';
import type { Middleware, NoDecision, Planner, PlannerInput, ToolRegistry } from '../schema/ports.ts';
import { bestFirst } from '../schema/tool-score.ts';
import type { Tool } from '../schema/tool.ts';
import { budgetLeft, nothingPending } from './run-budget.ts';
import { newAgent } from './agent.ts';
import { decisionChain, type Move, transitionChain } from './middleware-chain.ts';
import { canOffer, statesToCall } from './agent-states.ts';
import { foundTools } from './found-tools.ts';
import { classOf, type ThinkStep } from './decide.ts';
import { lookupFor } from './node-input.ts';
import { authorOf } from './origins.ts';
import { nodeNamed, type RunState } from './run-state.ts';
import { fillTemplate } from './template.ts';
import type { World } from './world.ts';
import { modelFailedEvent, plannerFailedEvent } from './step-events.ts';

const LONGEST_PAUSE_MS = 300_000;
const MOST_PAUSES = 300;

export function createThink(
  planner: Planner,
  middleware: readonly Middleware[],
  tools: Pick<ToolRegistry, 'list'>,
  clock: () => number,
): World['think'] {
  return async (run, step, act, now) => {
    const ask = decisionChain(middleware, async (asked) => {
      const answer = await planner.decide(asked, act);
      if ('kind' in answer) return answer;
      throw new Undecided(answer);
    });
    const input = plannerInput(run, step, tools, now);
    const answered = await ask(input).catch(asUndecided);
    if (answered instanceof Undecided) return undecidedEvent(run, step, answered.answer, clock());
    const answer = Decision.safeParse(answered);
    const problem = answer.success
      ? problemWith(answer.data, input, run, middleware, tools)
      : `not a decision: ${answer.error.issues[0]?.message ?? 'unknown'}`;
    if (answer.success && problem === null)
      return { type: 'decision.made', run: run.id, data: { node: step.node, turn: step.turn, decision: answer.data } };
    return {
      type: 'decision.rejected',
      run: run.id,
      data: { node: step.node, turn: step.turn, reason: problem?.slice(0, 10_000) ?? 'not a decision' },
    };
  };
}

/** Carries an answer that is no decision past the middleware, which only sees decisions. */
class Undecided extends Error {
  readonly answer: NoDecision;
  constructor(answer: NoDecision) {
    super('no decision');
    this.answer = answer;
  }
}

function asUndecided(error: unknown): Undecided {
  if (error instanceof Undecided) return error;
  throw error;
}

/** A planner that cannot be asked for now is asked again after a pause that grows, and not for ever. */
function undecidedEvent(run: RunState, { node, turn }: ThinkStep, answer: NoDecision, now: number): NewEvent {
  if ('problem' in answer)
    return { type: 'decision.rejected', run: run.id, data: { node, turn, reason: answer.problem.slice(0, 10_000) } };
  if ('failed' in answer) return modelFailedEvent(run, node, answer.failed);
  const state = run.nodes[nodeNamed(run, node) ?? -1];
  const waited = state?.waited ?? 0;
  const wait = `${run.id}.${node}.${state?.visit ?? 0}.w${waited}`;
  if ('wait' in answer) return { type: 'wait.opened', run: run.id, data: { wait, node, for: answer.wait } };
  if (waited >= MOST_PAUSES) return plannerFailedEvent(run, node, answer.reason);
  const ms = Math.ceil(Math.min(LONGEST_PAUSE_MS, answer.later * 2 ** Math.min(waited, 10)));
  const until = new Date(now + ms).toISOString();
  return {
    type: 'wait.opened',
    run: run.id,
    data: { wait, node, for: { kind: 'timer', until, ms, why: answer.reason.slice(0, 4000) } },
  };
}

function plannerInput(run: RunState, step: ThinkStep, tools: Pick<ToolRegistry, 'list'>, now: number): PlannerInput {
  const index = nodeNamed(run, step.node) ?? -1;
  const config = run.configs[index];
  const agent = run.nodes[index]?.agent ?? newAgent(run.plan.states.start);
  const rule = run.plan.states.states[agent.state];
  const goal = config?.kind === 'agent' ? fillTemplate(config.goal, lookupFor(run, index)) : '';
  const own = config?.tools === undefined ? null : [...config.tools, ...foundTools(agent.evidence)];
  const mayChange = config?.kind !== 'agent' || (config.classes?.some((each) => each !== 'read') ?? true);
  const isEligible = ({ name, annotations, ...tool }: Tool): boolean =>
    (own?.includes(name) ?? true) &&
    (mayChange || annotations.read_only || 'judgedClassOf' in tool) && // a command may read, too
    canOffer(run.plan.states, agent.state, { name, isReadOnly: annotations.read_only });
  return {
    run: run.id,
    node: step.node,
    turn: step.turn,
    goal: typeof goal === 'string' ? goal : JSON.stringify(goal),
    state: agent.state,
    next: rule?.to ?? [],
    evidence: agent.evidence,
    tools: tools.list().filter(isEligible).toSorted(bestFirst),
    ...(own === null ? {} : { hasNamedTools: true as const }),
    budgets: finiteOnly(budgetLeft(run, nothingPending, now)),
    problem: agent.problem,
    ...(run.notes.length === 0 ? {} : { notes: run.notes }),
  };
}

/** Why a decision is not allowed here, or null. */
function problemWith(
  decision: Decision,
  input: PlannerInput,
  run: RunState,
  middleware: readonly Middleware[],
  tools: Pick<ToolRegistry, 'list'>,
): string | null {
  const { states } = run.plan;
  const isNext = ({ from, to }: Move): string | null => {
    const next = states.states[from]?.to ?? [];
    return next.includes(to)
      ? null
      : `there is no transition from ${from} to ${to}; possible: ${next.join(', ') || 'none'}`;
  };
  const check = transitionChain(middleware, isNext);
  const checkMoves = (start: string, path: readonly string[]): string | null => {
    const moves = path.map((to, index) => ({ from: path[index - 1] ?? start, to }));
    return moves.map((move) => check({ run: run.id, node: input.node, ...move })).find((no) => no !== null) ?? null;
  };
  if (decision.kind === 'Transition')
    return decision.to === input.state ? null : checkMoves(input.state, [decision.to]);
  return decision.kind === 'CallTool' ? callsProblem(decision, input, run, tools, checkMoves) : null;
}

/**
 * A call moves the agent to a state that allows its class, and the next call of the turn starts from there; every move
 * on the path is checked like any other.
 */
function callsProblem(
  decision: Extract<Decision, { kind: 'CallTool' }>,
  input: PlannerInput,
  run: RunState,
  tools: Pick<ToolRegistry, 'list'>,
  checkMoves: (start: string, path: readonly string[]) => string | null,
): string | null {
  const author = authorOf(run, run.configs[nodeNamed(run, input.node) ?? -1]);
  const lookup = (name: string): Tool | undefined => tools.list().find((tool) => tool.name === name);
  let { state } = input;
  const calls = [decision, ...(decision.also ?? [])];
  const isOffered = (call: { tool: string }): boolean => input.tools.some((tool) => tool.name === call.tool);
  for (const call of calls) {
    // Beside calls that are allowed, the chain denies it, and the turn counts.
    if (!isOffered(call) && calls.some(isOffered) && isDeniedByChain(run, input, call.tool, lookup)) continue;
    if (!isOffered(call))
      return `"${call.tool}" may not be called here; there is: ${input.tools.map((tool) => tool.name).join(', ') || 'nothing'}`;
    const effect = classOf(lookup, call.tool, call.input, author, run.plan.graph.folders);
    // What no state allows is denied by the chain, which records it.
    const path = statesToCall(run.plan.states, state, { tool: call.tool, class: effect }) ?? [];
    const problem = checkMoves(state, path);
    if (problem !== null) return problem;
    state = path.at(-1) ?? state;
  }
  return null;
}

/** Whether a call is not made in any case: there is no such tool, or the step names its tools and not this one. */
function isDeniedByChain(
  run: RunState,
  { node }: PlannerInput,
  tool: string,
  lookup: (name: string) => unknown,
): boolean {
  const own = run.configs[nodeNamed(run, node) ?? -1]?.tools;
  return lookup(tool) === undefined || (own !== undefined && !own.includes(tool));
}

function finiteOnly(left: Record<string, number>): PlannerInput['budgets'] {
  return Object.fromEntries(Object.entries(left).filter(([, value]) => Number.isFinite(value)));
}
