/** What a run cost, by role, from the events of its calls to models. */
import type { Decision } from '../../src/core/schema/decision.ts';
import type { Event } from '../../src/core/schema/event.ts';

export type Costs = { calls: number; promptTokens: number; answerTokens: number; usd: number };
export type RoleCosts = Readonly<Record<string, Costs>>;

const NOTHING: Costs = { calls: 0, promptTokens: 0, answerTokens: 0, usd: 0 };

export function spentBy(events: readonly Event[]): RoleCosts {
  const roles = new Map<string, string>();
  const costs: Record<string, Costs> = {};
  for (const event of events) {
    if (event.type === 'call.started' && event.data.tool === 'model.complete')
      roles.set(event.data.call, (event.data.input as { role: string }).role);
    const role = event.type === 'call.ended' ? roles.get(event.data.call) : undefined;
    if (role === undefined || event.type !== 'call.ended') continue;
    const { tokens_in = 0, tokens_out = 0, usd = 0 } = event.data.usage ?? {};
    costs[role] = addCosts(costs[role] ?? NOTHING, {
      calls: 1,
      promptTokens: tokens_in,
      answerTokens: tokens_out,
      usd,
    });
  }
  return costs;
}

/** A verdict or a plan that is followed by another request of the same call was not accepted. */
const ENDS_ROLE = new Set(['submit_plan', 'cannot_be_done', 'submit_verdict']);

/**
 * Requests whose answers did nothing: a decision that was rejected, a worker that only moved to another state, and a plan or
 * a verdict that had to be given again.
 */
export function emptyTurnsIn(events: readonly Event[]): number {
  const given = new Map<string, number>();
  let empty = 0;
  for (const { type, data } of events) {
    if (type === 'decision.rejected') empty += 1;
    if (type === 'decision.made') empty += isMoveAlone(data.decision) ? 1 : 0;
    if (type !== 'call.ended' || data.node !== null || data.status !== 'ok') continue;
    const { call, problem } = (data.output ?? {}) as { call?: { name: string } | null; problem?: string | null };
    const asked = data.call.replace(/\.\d+$/, '');
    const isEnd = call !== null && call !== undefined && ENDS_ROLE.has(call.name);
    if (isEnd || typeof problem === 'string') given.set(asked, (given.get(asked) ?? 0) + 1);
  }
  return empty + [...given.values()].reduce((sum, times) => sum + times - 1, 0);
}

const isMoveAlone = ({ kind, note, show }: Decision): boolean =>
  kind === 'Transition' && note === undefined && show === undefined;

export function addCosts(a: Costs, b: Costs): Costs {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    answerTokens: a.answerTokens + b.answerTokens,
    usd: a.usd + b.usd,
  };
}

export function totalCosts(all: readonly RoleCosts[]): { total: Costs; roles: RoleCosts } {
  const roles: Record<string, Costs> = {};
  for (const each of all)
    for (const [role, costs] of Object.entries(each)) roles[role] = addCosts(roles[role] ?? NOTHING, costs);
  return { total: Object.values(roles).reduce(addCosts, NOTHING), roles };
}
