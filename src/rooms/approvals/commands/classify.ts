import { createInterface } from 'node:readline';
import { commandJudge, judgeServerTool, type JudgedCommand } from '../judge-command.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';

type Data = ({ cmd: string } & JudgedCommand) | { error: string };

export async function run(call: Call<{ tool: boolean }, Data>): Promise<Answer<Data>> {
  const command = onlyOperand(call, call.options.tool ? 'the tool' : 'the command');
  if (call.options.tool) return answer({ cmd: command, ...judgeServerTool(call.home, command) });
  const judge = commandJudge(call.home);
  if (command === '-') return classifyLines(call, judge);
  return answer({ cmd: command, ...judge(command) });
}

export const jsonLines = (data: Data): object[] => ['error' in data ? data : verdictOn(data)];

export function render(data: Data, { bold, green, yellow, red }: Terminal): string {
  if ('error' in data) return `${data.error}\n`;
  const { verdict, reason } = data;
  const { class: found, programs, hosts, net } = data.found;
  const colour = { allow: green, ask: yellow, deny: red }[verdict];
  const lines = [
    `${bold(found)}: ${colour(verdict)}`,
    `  why       ${plainText(reason)}`,
    ...(programs.length > 0 ? [`  programs  ${plainText(programs.join(', '))}`] : []),
    ...(net ? [`  network   ${hosts.length > 0 ? plainText(hosts.join(', ')) : 'yes'}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** One JSON line in, one out, as they come. */
async function classifyLines(
  call: Call<{ tool: boolean }, Data>,
  judge: (line: string) => JudgedCommand,
): Promise<Answer<Data>> {
  if (!call.json)
    throw new OkaError('usage', 'with - commands are read as JSON lines', { fix: 'Say: oka classify --json -' });
  let code: number = exits.ok;
  let number = 0;
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    const command = commandIn(line);
    if ('error' in command) code = exits.no;
    call.emit(
      'error' in command ? { error: `line ${number}: ${command.error}` } : { cmd: command.cmd, ...judge(command.cmd) },
    );
  }
  return { code };
}

function commandIn(line: string): { cmd: string } | { error: string } {
  try {
    const value = JSON.parse(line) as unknown;
    const cmd = typeof value === 'object' && value !== null && 'cmd' in value ? value.cmd : undefined;
    return typeof cmd === 'string' ? { cmd } : { error: 'a line is {"cmd": "…"}' };
  } catch (error) {
    return { error: `it is not JSON: ${messageOf(error)}` };
  }
}

function verdictOn({ cmd, found, verdict, reason }: { cmd: string } & JudgedCommand): object {
  return { cmd, class: found.class, verdict, reason };
}
