/** What a run may still spend, and what is reserved for calls under way. A retry is a call, too. */
import type { Json } from '../schema/json.ts';
import type { Usage } from '../schema/effect.ts';
import type { Left } from '../schema/tool.ts';
import type { ToolBook } from './decide.ts';
import type { RunState } from './run-state.ts';

export type Reserved = { tokens: number; usd: number; output_bytes: number };

export const nothingReserved: Reserved = { tokens: 0, usd: 0, output_bytes: 0 };

/** `toolCalls` when it is known better than from the run alone, as for one of several calls that start together. */
export function leftOf(run: RunState, reserved: Reserved, now: number, toolCalls = callsLeft(run)): Left {
  const { budgets, spent } = run;
  const activeMs = run.activeMs + (run.activeSince === null ? 0 : now - run.activeSince);
  return {
    tokens: without(budgets.tokens, spent.tokens + reserved.tokens),
    usd: without(budgets.usd, spent.usd + reserved.usd),
    tool_calls: toolCalls,
    retries: Math.min(without(budgets.retries, spent.retries), callsLeft(run)),
    output_bytes: without(budgets.output_bytes, spent.output_bytes + reserved.output_bytes),
    seconds: without(budgets.seconds, activeMs / 1000),
  };
}

export function callsLeft({ budgets, spent }: RunState): number {
  return without(budgets.tool_calls, spent.tool_calls);
}

function without(limit: number | undefined, used: number): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : limit - used;
}

export function reservedWith(reserved: Reserved, usage: Usage, sign: 1 | -1): Reserved {
  return {
    tokens: reserved.tokens + sign * ((usage.tokens_in ?? 0) + (usage.tokens_out ?? 0)),
    usd: reserved.usd + sign * (usage.usd ?? 0),
    output_bytes: reserved.output_bytes + sign * (usage.output_bytes ?? 0),
  };
}

/** What a call costs whose tool gives no estimate. */
export const free: Usage = {};

/** What a call may cost at most; of a tool that cannot say, it is known when it has been called. */
export function estimated(tools: ToolBook, tool: string, input: Json): Usage {
  try {
    return tools(tool)?.estimate?.(input) ?? free;
  } catch {
    return free;
  }
}
