import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Addition, addTask } from '../../intake/add-task.ts';
import { penHolder } from '../../ledger/pen.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';

export async function run(call: Call): Promise<number> {
  const { home, json, out } = call;
  const { name, title } = addTask(join(home.workspace, 'inbox'), additionOf(onlyOperand(call, 'task')));
  const isWatched = penHolder(home.ledgers.run) !== null;
  if (json) out(`${JSON.stringify({ added: name, title, worker: isWatched })}\n`);
  else out(`Added: ${title}${isWatched ? '' : '\nNo worker is running; start one: oka up'}\n`);
  return exits.ok;
}

/** What names something that is there is a file or folder; everything else is the task itself. */
export function additionOf(given: string): Addition {
  return given.length < 4096 && !given.includes('\n') && existsSync(given) ? { path: given } : { text: given };
}
