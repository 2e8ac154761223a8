/** The task that words on the command line name, for commands that add, check or schedule one. */
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { OkaError } from '../../core/schema/errors.ts';
import type { Addition } from '../inbox/add-task.ts';
import type { Call } from './command-module.ts';
import { onlyOperand } from './operands.ts';

const FILE_NAME = /^\S+\.(?:md|markdown|txt)$/i;

/** The task that is named, or the one that comes from a pipe (-). */
export async function additionFrom(call: Pick<Call, 'operands' | 'stdin'>): Promise<Addition> {
  const given = onlyOperand(call, 'task');
  if (given !== '-') return additionOf(given);
  if (call.stdin.isTTY === true)
    throw new OkaError('usage', '- takes the task from a pipe', { fix: 'Such as: echo "Sort the photos" | oka add -' });
  const piped = await text(call.stdin);
  if (piped.trim() === '') throw new OkaError('usage', 'nothing came through the pipe');
  return { text: piped };
}

/** What names an existing file or folder is that; everything else is the task itself, unless it is plainly a name. */
export function additionOf(given: string): Addition {
  if (given.length < 4096 && !given.includes('\n') && existsSync(given)) return { path: given };
  if (FILE_NAME.test(given)) throw new OkaError('usage', `${given} does not exist`);
  return { text: given };
}
