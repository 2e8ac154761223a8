import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { dependencies } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderToolAnswer, requestTools, type ToolAnswer, toolAnswerJson } from '../request-tools.ts';

type Options = { unused: { text: string; ms: number } | undefined };

export async function run(call: Call<Options, ToolAnswer>): Promise<Answer<ToolAnswer>> {
  const { home, operands } = call;
  const { unused } = call.options;
  if (unused === undefined) {
    if (operands.length === 0) throw new OkaError('usage', 'say which tool, or --unused 30d');
    const removals = operands.map((what) => ({ kind: 'remove', what }) as const);
    return requestTools(call, removals);
  }
  const before = Date.now() - unused.ms;
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const idle = Object.entries(state.installed).filter(([, { used, at }]) => Date.parse(used ?? at) < before);
  if (idle.length === 0)
    return answer({ kind: 'nothing', field: 'removed', text: `Every tool was used within ${unused.text}.` });
  const reason = `not used for ${unused.text}`;
  const removals = idle.map(([what]) => ({ kind: 'remove', what, reason }) as const);
  return requestTools(call, removals);
}

export const render = renderToolAnswer;
export const jsonLines = toolAnswerJson;
