import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { renderToolAnswer, requestTools, type ToolAnswer, toolAnswerJson } from '../request-tools.ts';

export async function run(call: Call<object, ToolAnswer>): Promise<Answer<ToolAnswer>> {
  return requestTools(call, [{ kind: 'install', what: onlyOperand(call, 'tool') }]);
}

export const render = renderToolAnswer;
export const jsonLines = toolAnswerJson;
