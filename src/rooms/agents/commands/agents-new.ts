import { lstatSync } from 'node:fs';
import { agentFile } from '../../../kit/agents/home-agents.ts';
import { createFile } from '../../../core/ledger/disk.ts';
import type { AgentRole } from '../../../core/schema/agent-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { nameProblem } from '../../../core/schema/parse-agent.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { agent: string; file: string };

export async function run(
  call: Call<{ role: AgentRole | undefined; description: string | undefined }>,
): Promise<Answer<Data>> {
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
}

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

export const render = ({ agent, file }: Data): string =>
  `Wrote ${file}. Edit it, then check it: oka agents check ${agent}\n`;
