/** What a call may cost at most is taken off the budget of the day before it is made; without room for it, it waits. */
import type { Middleware, ToolRegistry } from '../../schema/ports.ts';
import type { Outcome, ToolCall } from '../../schema/tool.ts';
import type { Usage } from '../../schema/effect.ts';

/** Resolves with null once the cost is reserved, or with the outcome of a call that cannot be made now. */
export type ReserveDayBudget = (call: ToolCall, most: Usage) => Promise<Outcome | null>;

/** Only tools that estimate their cost spend from the budget of the day. */
export function dayBudget(tools: Pick<ToolRegistry, 'get'>, reserve?: ReserveDayBudget): Middleware {
  if (reserve === undefined) return { name: 'day-budget' };
  return {
    name: 'day-budget',
    appliesTo: (tool) => tool.estimate !== undefined,
    call: async (call, next) => {
      const most = tools.get(call.tool)?.estimate?.(call.input);
      return (most === undefined ? null : await reserve(call, most)) ?? next(call);
    },
  };
}
