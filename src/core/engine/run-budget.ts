/** What a run may still spend, given what counts besides its events. A retry is a call, too. */
import type { Json } from '../schema/json.ts';
import type { Usage } from '../schema/effect.ts';
import type { Left } from '../schema/tool.ts';
import type { ToolLookup } from './decide.ts';
import type { RunState } from './run-state.ts';
import { workedMs } from './work-time.ts';

/** What counts against a budget and is not in the events of the run yet. */
export type Pending = { tokens: number; usd: number; tool_calls: number; output_bytes: number };

export const nothingPending: Pending = { tokens: 0, usd: 0, tool_calls: 0, output_bytes: 0 };

/** As much of a run as it takes to say what it may still spend. */
export type Purse = Pick<RunState, 'id' | 'budgets' | 'spent' | 'activeMs' | 'activeSince'>;

export function budgetLeft(run: Purse, pending: Pending, now: number): Left {
  const { budgets, spent } = run;
  const tool_calls = remaining(budgets.tool_calls, spent.tool_calls + pending.tool_calls);
  return {
    tokens: remaining(budgets.tokens, spent.tokens + pending.tokens),
    usd: remaining(budgets.usd, spent.usd + pending.usd),
    tool_calls,
    retries: Math.min(remaining(budgets.retries, spent.retries), tool_calls),
    output_bytes: remaining(budgets.output_bytes, spent.output_bytes + pending.output_bytes),
    seconds: remaining(budgets.seconds, workedMs(run, now) / 1000),
  };
}

function remaining(limit: number | undefined, used: number): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : limit - used;
}

export function addUsage(pending: Pending, usage: Usage, sign: 1 | -1): Pending {
  return {
    tokens: pending.tokens + sign * ((usage.tokens_in ?? 0) + (usage.tokens_out ?? 0)),
    usd: pending.usd + sign * (usage.usd ?? 0),
    tool_calls: pending.tool_calls + sign * (usage.tool_calls ?? 0),
    output_bytes: pending.output_bytes + sign * (usage.output_bytes ?? 0),
  };
}

/** What a call costs whose tool gives no estimate. */
export const NO_COST: Usage = {};

/** What a call may cost at most; of a tool that cannot say, it is known when it has been called. */
export function estimateCost(tools: ToolLookup, tool: string, input: Json): Usage {
  try {
    return tools(tool)?.estimate?.(input) ?? NO_COST;
  } catch {
    return NO_COST;
  }
}
