import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { dependencies, type Installed } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderToolAnswer, requestTools, type ToolAnswer, toolAnswerJson } from '../request-tools.ts';

export async function run(call: Call<object, ToolAnswer>): Promise<Answer<ToolAnswer>> {
  const { home, operands } = call;
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const all = Object.entries(state.installed);
  const unknown = operands.find((name) => !all.some(([id, tool]) => id === name || tool.name === name));
  if (unknown !== undefined)
    throw new OkaError('usage', `"${unknown}" is not installed`, { fix: 'List what is: oka tools list' });
  const wanted = all.filter(
    ([id, { name, by }]) =>
      by !== 'binary' && (operands.length === 0 || operands.includes(id) || operands.includes(name)),
  );
  if (wanted.length === 0) return answer({ kind: 'nothing', field: 'updated', text: 'There is nothing to update.' });
  const installs = wanted.map(([, tool]) => ({ kind: 'install', what: newestOf(tool) }) as const);
  return requestTools(call, installs);
}

export const render = renderToolAnswer;
export const jsonLines = toolAnswerJson;

/** The newest release that the policy allows: it refuses those that are too young. */
function newestOf({ by, name, version }: Installed): string {
  return by === 'node' ? `node:${name}@latest` : `python:${name}>=${version}`;
}
