/** Agents: roles with a name, a prompt and tools. */
import { agentFile, agentNamed, findAgents } from '../../../kit/agents/home-agents.ts';
import { answer, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { count, indentWrapped, plainLines, plainText } from '../../../kit/cli/plain-text.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { checkAgents } from '../check-agents.ts';
import { modelProviders, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { lstatSync } from 'node:fs';
import { createFile } from '../../../core/ledger/disk.ts';
import type { AgentRole } from '../../../core/schema/agent-file.ts';
import { nameProblem } from '../../../core/schema/parse-agent.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { choice, text } from '../../../kit/cli/options.ts';

export const commands: Commands = {
  'agents list': command({
    summary: 'List the agents that can be mentioned',
    example: 'oka agents list',
    run: async ({ home }) => {
      const { agents, invalid } = findAgents(home);
      return answer({
        agents: agents.map(({ name, role, description, model = null, file }) => ({
          name,
          role,
          description,
          model,
          file,
        })),
        invalid: invalid.map(({ name, file, error }) => ({ name, file, problem: error.message })),
      });
    },
    render: ({ agents, invalid }, terminal) => {
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
    },
  }),
  'agents show': command({
    summary: 'Show what an agent may do, and its persona',
    operands: '<agent>',
    example: 'oka agents show oka',
    run: async (call) => {
      const name = onlyOperand(call, 'the name of an agent').replace(/^@/, '');
      return answer(agentNamed(findAgents(call.home), name));
    },
    render: (agent, { bold, dim }) => {
      const { name, role, description, capabilities, model, tools, budget, mentions, frames, persona, file } = agent;
      const limits = Object.entries(budget).map(([limit, value]) => `${limit} ${value}`);
      const lines = [
        `${bold(`@${name}`)}  ${plainText(description)}`,
        dim(file === null ? 'It has no file; it is always there.' : plainText(file)),
        `role: ${role}`,
        `capabilities: ${capabilities.join(', ') || 'none'}`,
        `model: ${model ?? 'the default model'}`,
        `tools: ${tools === undefined ? 'all that its capabilities allow' : tools.join(', ') || 'none'}`,
        `budget of one reply: ${limits.join(', ') || 'that of the policy'}`,
        `may mention: ${mentions === undefined ? 'anybody' : mentions.join(', ') || 'nobody'}`,
        ...(frames.length === 0 ? [] : [`frames: ${frames.join(', ')}`]),
        '',
        plainLines(persona),
      ];
      return `${lines.join('\n').trimEnd()}\n`;
    },
  }),
  'agents check': command({
    summary: 'Name everything that is wrong with the files of agents',
    operands: '[agent]',
    example: 'oka agents check',
    run: async ({ home, operands, rooms }) => {
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
    },
    render: ({ checked }, terminal) => {
      const lines = checked.flatMap(({ name, problems }) => [
        `${problems.length === 0 ? terminal.green('ok') : terminal.red('wrong')}  ${name}`,
        ...problems.flatMap((problem) => problem.split('\n').map((line) => indentWrapped(line, '    ', terminal))),
      ]);
      const wrong = checked.filter(({ problems }) => problems.length > 0).length;
      const end =
        wrong === 0 ? 'Nothing is wrong.' : `Something is wrong with ${count(wrong, 'agent')} of ${checked.length}.`;
      return `${[...lines, end].join('\n')}\n`;
    },
  }),
  'agents new': command({
    summary: 'Write the file of a new agent, for you to edit',
    operands: '<agent>',
    options: {
      role: choice(['reader', 'writer', 'synthesis'], 'ROLE', 'reader (the default), writer or synthesis.'),
      description: text('TEXT', 'What it is for, in one sentence.'),
    },
    example: 'oka agents new arya --role writer',
    run: async (call) => {
      const { home, options } = call;
      await requireHome(home);
      const agent = onlyOperand(call, 'the name of an agent').replace(/^@/, '');
      const problem = nameProblem(agent);
      if (problem !== null) throw new OkaError('usage', problem);
      const file = agentFile(home, agent);
      if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
        throw new OkaError('usage', `${file} is there already`, { fix: `See it: oka agents show ${agent}` });
      const { role = 'reader', description = `Say in one sentence what ${agent} is for.` } = options;
      createFile(file, agentTemplate(agent, role, description), { mode: 0o600, folderMode: 0o700 });
      return answer({ agent, file });
    },
    render: ({ agent, file }) => `Wrote ${file}. Edit it, then check it: oka agents check ${agent}\n`,
  }),
};

function agentTemplate(name: string, role: AgentRole, description: string): string {
  return `---
description: ${JSON.stringify(description)}
role: ${role}
# model: provider:model       default: the model that serves everything else
# tools: [files.read, web.*]  default: all that its role allows
# budget: { usd: 0.5, seconds: 300 }
# mentions: [oka]             default: it may mention anybody
---
You are ${name}. Say what you do not know, and mention others only when they have to act.
`;
}
