import { agentNamed, findAgents } from '../../../kit/agents/home-agents.ts';
import type { Agent } from '../../../core/schema/agent-file.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainLines, plainText } from '../../../kit/cli/plain-text.ts';

export async function run(call: Call): Promise<Answer<Agent>> {
  const name = onlyOperand(call, 'the name of an agent').replace(/^@/, '');
  return answer(agentNamed(findAgents(call.home), name));
}

export function render(agent: Agent, { bold, dim }: Terminal): string {
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
}
