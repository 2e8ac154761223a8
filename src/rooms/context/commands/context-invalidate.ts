/** Marks frames stale although nothing they were made from has changed. */
import { ContextAnswerSchemas, InvalidationRequest } from '../../../core/schema/synthesis.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requestContext } from '../request-context.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = {
  type: string | undefined;
  recursive: boolean;
  reason: string | undefined;
  workspace: string | undefined;
};
type Data = { marked: { path: string; type: string }[] };

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const input = parseRequest(InvalidationRequest, { node: call.operands[0], ...call.options });
  return answer(
    ContextAnswerSchemas.invalidated.parse(await requestContext(call, { tool: 'context.invalidate', input })),
  );
}

export function render({ marked }: Data): string {
  if (marked.length === 0) return 'There was nothing to mark.\n';
  const lines = marked.map(({ path, type }) => `stale: ${plainText(path === '' ? '.' : path)} (${type})\n`);
  return `${lines.join('')}Make them again: oka context regenerate --recursive\n`;
}
