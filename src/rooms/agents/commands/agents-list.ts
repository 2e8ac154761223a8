import { findAgents } from '../../../kit/agents/home-agents.ts';
import type { Agent } from '../../../core/schema/agent-file.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { indentWrapped } from '../../../kit/cli/plain-text.ts';

type ListedAgent = Pick<Agent, 'name' | 'role' | 'description' | 'file'> & { model: string | null };
type Data = { agents: ListedAgent[]; invalid: { name: string; file: string; problem: string }[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  const { agents, invalid } = findAgents(home);
  return answer({
    agents: agents.map(({ name, role, description, model = null, file }) => ({ name, role, description, model, file })),
    invalid: invalid.map(({ name, file, error }) => ({ name, file, problem: error.message })),
  });
}

export function render({ agents, invalid }: Data, terminal: Terminal): string {
  const table = renderColumns(
    agents,
    [
      { text: ({ name }) => `@${name}`, style: terminal.bold },
      { text: ({ role }) => role },
      { text: ({ model }) => model ?? 'default model' },
      { text: ({ description }) => description, grows: true },
    ],
    terminal,
  );
  const wrong = invalid.map(
    ({ name, problem }) =>
      `${terminal.red('wrong')}  ${name}\n${problem
        .split('\n')
        .map((line) => indentWrapped(line, '  ', terminal))
        .join('\n')}\n`,
  );
  const hint = agents.length === 1 && invalid.length === 0 ? 'Make another one: oka agents new NAME\n' : '';
  return `${table}${wrong.join('')}${hint}`;
}
