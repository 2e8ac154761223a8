import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { classify, type Surroundings } from '../../guard/classify/classify-command.ts';
import { programFinder } from '../../guard/classify/find-program.ts';
import type { Classified } from '../../schema/command.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Effect } from '../../schema/policy.ts';
import type { SideEffectClass } from '../../schema/effect.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { bold, green, plainText, red, yellow } from '../plain-text.ts';

/** What the policy that ships says to each class. */
const VERDICTS: Record<SideEffectClass, Effect> = {
  read: 'allow',
  write_local: 'allow',
  external_mutation: 'ask',
  deny: 'deny',
};

export async function run(call: Call): Promise<number> {
  const command = onlyOperand(call, 'the command');
  const toolFolder = join(call.home.oka, 'tools');
  const where: Surroundings = {
    desk: join(call.home.workspace, 'desk'),
    toolFolder,
    resolve: programFinder(toolFolder),
  };
  if (command === '-') return classifyLines(call, where);
  const found = classify({ line: command }, where);
  call.out(call.json ? `${lineOf(command, found)}\n` : told(found));
  return exits.ok;
}

/** One JSON line in, one out, as they come. */
async function classifyLines(call: Call, where: Surroundings): Promise<number> {
  if (!call.json)
    throw new OkaError('usage', 'with - commands are read as JSON lines', { fix: 'Say: oka classify --json -' });
  let code: number = exits.ok;
  let number = 0;
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    const command = commandIn(line);
    if ('error' in command) code = exits.no;
    call.out(
      `${'error' in command ? JSON.stringify({ error: `line ${number}: ${command.error}` }) : lineOf(command.cmd, classify({ line: command.cmd }, where))}\n`,
    );
  }
  return code;
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

function lineOf(cmd: string, { class: found, reason }: Classified): string {
  return JSON.stringify({ cmd, class: found, verdict: VERDICTS[found], reason });
}

function told({ class: found, reason, programs, hosts, net }: Classified): string {
  const verdict = VERDICTS[found];
  const colour = { allow: green, ask: yellow, deny: red }[verdict];
  const rows = [
    `${bold(found)}: ${colour(verdict)}`,
    `  why       ${plainText(reason)}`,
    ...(programs.length > 0 ? [`  programs  ${plainText(programs.join(', '))}`] : []),
    ...(net ? [`  network   ${hosts.length > 0 ? plainText(hosts.join(', ')) : 'yes'}`] : []),
  ];
  return `${rows.join('\n')}\n`;
}
