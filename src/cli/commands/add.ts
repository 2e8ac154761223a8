import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Addition, addTask } from '../../intake/add-task.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';

type Data = { added: string; title: string; worker: boolean };

export async function run(call: Call): Promise<Answer<Data>> {
  const { name, title } = addTask(join(call.home.workspace, 'inbox'), additionOf(onlyOperand(call, 'task')));
  return answer({ added: name, title, worker: penHolder(call.home.ledgers.run) !== null });
}

export const render = ({ title, worker }: Data): string =>
  `Added: ${title}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`;

const FILE_NAME = /^\S+\.(?:md|markdown|txt)$/i;

/** What names an existing file or folder is that; everything else is the task itself, unless it is plainly a name. */
export function additionOf(given: string): Addition {
  if (given.length < 4096 && !given.includes('\n') && existsSync(given)) return { path: given };
  if (FILE_NAME.test(given)) throw new OkaError('usage', `${given} does not exist`);
  return { text: given };
}
