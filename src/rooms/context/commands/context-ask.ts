/** A question about the workspace, answered from frames. */
import { OkaError } from '../../../core/schema/errors.ts';
import { QuestionAnswer, QuestionRequest } from '../../../core/schema/synthesis.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requestContext } from '../request-context.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = {
  in: string | undefined;
  tokens: number | undefined;
  model: string | undefined;
  workspace: string | undefined;
};

export async function run(call: Call<Options>): Promise<Answer<QuestionAnswer>> {
  await requireHome(call.home);
  const question = call.operands.join(' ').trim();
  if (question === '') throw new OkaError('usage', 'say what you want to know');
  const { in: node, ...rest } = call.options;
  const input = parseRequest(QuestionRequest, { question, node, ...rest });
  const data = QuestionAnswer.parse(await requestContext(call, { tool: 'context.ask', input }));
  return answer(data, data.sources.length === 0 && data.answer === null ? exits.no : exits.ok);
}

export function render({ answer: text, sources }: QuestionAnswer, terminal: Terminal): string {
  if (text === null && sources.length === 0)
    return 'No frame has to do with that. Make frames first: oka context synthesize\n';
  const lines = sources.map(({ path, frame, stale, text: beginning }) => {
    const note = stale === undefined ? '' : ' (stale)';
    const shown = text === null ? `\n  ${terminal.dim(plainText(beginning))}` : '';
    return `${plainText(path === '' ? '.' : path)} ${terminal.dim(frame.slice(0, 12))}${note}${shown}\n`;
  });
  return text === null ? lines.join('') : `${plainText(text)}\n\n${lines.join('')}`;
}
