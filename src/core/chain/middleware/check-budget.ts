/** Whether the run can still pay for a call. What it may cost at most was reserved before. */
import type { Middleware, ToolRegistry } from '../../schema/ports.ts';
import type { Json } from '../../schema/json.ts';
import { BUDGET_SPENT } from '../../schema/outside-failure.ts';
import type { Left, Tool } from '../../schema/tool.ts';

export function budget(tools: Pick<ToolRegistry, 'get'>): Middleware {
  return {
    name: 'budget',
    call: (call, next) => {
      const spent = findExhausted(call.left(), call.input, tools.get(call.tool));
      return spent === null ? next(call) : Promise.resolve({ status: 'denied', error: `${BUDGET_SPENT}${spent}` });
    },
  };
}

/** The first thing of which less is left than the call may need; null when it can be paid for. */
export function findExhausted(left: Left, input: Json, tool: Tool | undefined): string | null {
  const most = tool?.estimate?.(input) ?? {};
  if (left.tool_calls < 0) return 'tool_calls';
  if (left.seconds <= 0) return 'seconds';
  if (left.tokens < (most.tokens_in ?? 0) + (most.tokens_out ?? 0) || left.tokens < 0) return 'tokens';
  if (left.usd < (most.usd ?? 0) || left.usd < 0) return 'usd';
  return left.output_bytes < (most.output_bytes ?? 0) || left.output_bytes < 0 ? 'output_bytes' : null;
}
