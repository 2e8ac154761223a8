/** Input before, output after: neither leaves this point in a shape the tool does not promise. */
import type { Middleware } from '../../schema/ports.ts';
import type { Tool } from '../../schema/tool.ts';

export function validate(tools: ReadonlyMap<string, Tool>): Middleware {
  return {
    name: 'validate',
    call: async (call, next) => {
      const tool = tools.get(call.tool);
      if (tool === undefined) return { status: 'failed', error: `there is no tool "${call.tool}"` };
      const input = tool.input.safeParse(call.input);
      if (!input.success)
        return { status: 'failed', error: `${call.tool} cannot take this input: ${problems(input.error)}` };
      const outcome = await next(call);
      if (outcome.status !== 'ok') return outcome;
      const output = tool.output.safeParse(outcome.output);
      return output.success
        ? outcome
        : { status: 'failed', error: `${call.tool} gave an output it does not promise: ${problems(output.error)}` };
    },
  };
}

function problems(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`).join('; ');
}
