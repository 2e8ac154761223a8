import { inspectServer, requireServer } from '../inspect-server.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { server: string } & (
  | { answered: true; says: string; era: string; ms: number; tools: number; refused: { name: string; why: string }[] }
  | { answered: false; problem: string; fix: string | null }
);

export async function run(call: Call): Promise<Answer<Data>> {
  const { home, signal, rooms } = call;
  const server = onlyOperand(call, 'server');
  await requireHome(home);
  requireServer(home, server);
  try {
    const { says, era, ms, tools, refused } = await inspectServer(home, server, { signal, rooms });
    return answer({ server, answered: true, says, era, ms, tools: tools.length, refused });
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    return answer({ server, answered: false, problem: error.message, fix: error.fix ?? null }, exits.no);
  }
}

export function render(data: Data, { green, red }: Terminal): string {
  if (!data.answered)
    return `${red('no answer')} from ${data.server}: ${plainText(data.problem)}\n${data.fix === null ? '' : `${plainText(data.fix)}\n`}`;
  const { server, says, era, ms, tools, refused } = data;
  const protocol = era === 'modern' ? 'the protocol of 2026' : 'the protocol of 2025';
  const lines = refused.map(({ name, why }) => `  cannot be used: ${plainText(name)}: ${plainText(why)}\n`);
  return `${green('ok')} ${server} answers as ${plainText(says)} in ${protocol}, with ${tools} tools, after ${ms} ms\n${lines.join('')}`;
}
