/** What a run may still spend, and what is reserved for calls in flight. A retry is a call, too. */
import type { Json } from '../schema/json.ts';
import type { Usage } from '../schema/effect.ts';
import type { Left } from '../schema/tool.ts';
import type { ToolLookup } from './decide.ts';
import type { RunState } from './run-state.ts';
import { workedMs } from './work-time.ts';

export type Reserved = { tokens: number; usd: number; output_bytes: number };

export const nothingReserved: Reserved = { tokens: 0, usd: 0, output_bytes: 0 };

/** `toolCalls` when it is known better than from the run alone, as for one of several calls that start together. */
export function budgetLeft(run: RunState, reserved: Reserved, now: number, toolCalls = callsLeft(run)): Left {
  const { budgets, spent } = run;
  return {
    tokens: remaining(budgets.tokens, spent.tokens + reserved.tokens),
    usd: remaining(budgets.usd, spent.usd + reserved.usd),
    tool_calls: toolCalls,
    retries: Math.min(remaining(budgets.retries, spent.retries), callsLeft(run)),
    output_bytes: remaining(budgets.output_bytes, spent.output_bytes + reserved.output_bytes),
    seconds: remaining(budgets.seconds, workedMs(run, now) / 1000),
  };
}

export function callsLeft({ budgets, spent }: RunState): number {
  return remaining(budgets.tool_calls, spent.tool_calls);
}

function remaining(limit: number | undefined, used: number): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : limit - used;
}

export function addReserved(reserved: Reserved, usage: Usage, sign: 1 | -1): Reserved {
  return {
    tokens: reserved.tokens + sign * ((usage.tokens_in ?? 0) + (usage.tokens_out ?? 0)),
    usd: reserved.usd + sign * (usage.usd ?? 0),
    output_bytes: reserved.output_bytes + sign * (usage.output_bytes ?? 0),
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
