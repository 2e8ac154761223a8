/** Whether the node, and the state of an agent, may make this call at all. */
import type { Middleware } from '../../schema/ports.ts';
import type { ToolCall } from '../../schema/tool.ts';

export function eligible(): Middleware {
  return {
    name: 'eligible',
    call: (call, next) => {
      const error = ineligibleReason(call);
      return error === null ? next(call) : Promise.resolve({ status: 'denied', error });
    },
  };
}

function ineligibleReason({ tool, class: effect, bounds: { tools, classes } }: ToolCall): string | null {
  if (tools !== null && !tools.includes(tool))
    return `${tool} is not among the tools of this step: ${tools.join(', ') || 'none'}`;
  // The class deny is refused everywhere, by the guard, which says what in the call is the reason.
  if (classes !== null && effect !== 'deny' && !classes.includes(effect))
    return `a call of class ${effect} is not possible in this state; only ${classes.join(', ') || 'none'}`;
  return null;
}
