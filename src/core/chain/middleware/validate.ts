/** Input before, output after: neither leaves this point in a shape the tool does not promise. */
import { fitCheck } from '../../schema/fits.ts';
import { describeMismatch } from '../../schema/value-problems.ts';
import type { Middleware, ToolRegistry } from '../../schema/ports.ts';
import type { Tool } from '../../schema/tool.ts';

export function validate(tools: Pick<ToolRegistry, 'get'>): Middleware {
  const checks = new WeakMap<Tool, Checks>();
  return {
    name: 'validate',
    call: async (call, next) => {
      const tool = tools.get(call.tool);
      if (tool === undefined) return { status: 'failed', error: `there is no tool "${call.tool}"` };
      let problem = checks.get(tool);
      if (problem === undefined) checks.set(tool, (problem = createChecks(tool)));
      const wrong = problem.input(call.input);
      if (wrong !== null) return { status: 'failed', error: `${call.tool} cannot take this input: ${wrong}` };
      const outcome = await next(call);
      const broken = outcome.status === 'ok' ? problem.output(outcome.output) : null;
      return broken === null
        ? outcome
        : { status: 'failed', error: `${call.tool} gave an output it does not promise: ${broken}` };
    },
  };
}

/** What is wrong with a value; null when nothing is. */
type Check = (value: unknown) => string | null;
type Checks = { input: Check; output: Check };

function createChecks({ input, output }: Tool): Checks {
  return { input: createCheck(input), output: createCheck(output) };
}

function createCheck(schema: Tool['input']): Check {
  const fits = fitCheck(schema);
  return (value) => (fits(value) ? null : describeMismatch(schema, value));
}
