import { checkAgents, type CheckedAgent } from '../check-agents.ts';
import { agentNamed, findAgents } from '../../../kit/agents/home-agents.ts';
import { modelProviders, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, indentWrapped } from '../../../kit/cli/plain-text.ts';

type Data = { checked: CheckedAgent[] };

export async function run({ home, operands, rooms }: Call): Promise<Answer<Data>> {
  const [given, ...more] = operands;
  if (more.length > 0) throw new OkaError('usage', 'name one agent, or none for all of them');
  const all = checkAgents(home, {
    providers: (await modelProviders(rooms)).map(({ name }) => name),
    tools: await toolNamesIn(home, rooms),
  });
  const wanted = given?.replace(/^@/, '');
  const checked = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  if (wanted !== undefined && checked.length === 0) agentNamed(findAgents(home), wanted); // names the nearest one
  return answer({ checked }, checked.some(({ problems }) => problems.length > 0) ? exits.no : exits.ok);
}

export function render({ checked }: Data, terminal: Terminal): string {
  const lines = checked.flatMap(({ name, problems }) => [
    `${problems.length === 0 ? terminal.green('ok') : terminal.red('wrong')}  ${name}`,
    ...problems.flatMap((problem) => problem.split('\n').map((line) => indentWrapped(line, '    ', terminal))),
  ]);
  const wrong = checked.filter(({ problems }) => problems.length > 0).length;
  const end =
    wrong === 0 ? 'Nothing is wrong.' : `Something is wrong with ${count(wrong, 'agent')} of ${checked.length}.`;
  return `${[...lines, end].join('\n')}\n`;
}
