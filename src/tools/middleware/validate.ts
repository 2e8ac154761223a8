/** Input before, output after: neither leaves this point in a shape the tool does not promise. */
import { fitting } from '../../schema/fits.ts';
import type { Middleware } from '../../schema/ports.ts';
import type { Tool } from '../../schema/tool.ts';

export function validate(tools: ReadonlyMap<string, Tool>): Middleware {
  const known = new Map(
    [...tools].map(([name, { input, output }]) => [name, { input: look(input), output: look(output) }]),
  );
  return {
    name: 'validate',
    call: async (call, next) => {
      const problem = known.get(call.tool);
      if (problem === undefined) return { status: 'failed', error: `there is no tool "${call.tool}"` };
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

/** Says what is wrong with a value; null when nothing is. */
function look(schema: Tool['input']): (value: unknown) => string | null {
  const fits = fitting(schema);
  return (value) => {
    if (fits(value)) return null;
    const checked = schema.safeParse(value);
    return checked.success ? null : checked.error.issues.map(worded).join('; ');
  };
}

function worded({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.join('.') || 'the whole'}: ${message}`;
}
