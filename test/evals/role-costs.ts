/** What a run cost, by role, from the events of its calls to models. */
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
