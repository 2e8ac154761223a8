/** Whether the node, and the state of an agent, may make this call at all. */
import type { Middleware } from '../../schema/ports.ts';

export function eligible(): Middleware {
  return {
    name: 'eligible',
    call: async (call, next) => {
      const { tools, classes } = call.bounds;
      if (tools !== null && !tools.includes(call.tool))
        return {
          status: 'denied',
          error: `${call.tool} is not among the tools of this step: ${tools.join(', ') || 'none'}`,
        };
      if (classes !== null && !classes.includes(call.class))
        return {
          status: 'denied',
          error: `a call of class ${call.class} is not possible in this state; only ${classes.join(', ') || 'none'}`,
        };
      return next(call);
    },
  };
}
