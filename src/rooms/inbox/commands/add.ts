import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Addition, addTask, readAddition } from '../../../kit/inbox/add-task.ts';
import { isScheduled, listNextTimes, readSchedule, ScheduleFieldError } from '../../../kit/schedule/schedule-spec.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { TaskFile } from '../../../core/schema/task-file.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

/** `next`: when a task at fixed times is due. */
type Data = { added: string; title: string; worker: boolean; next?: string[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const addition = await additionFrom(call);
  const next = nextTimesOf(readAddition(addition).text.task);
  const { name, title } = addTask(join(call.home.workspace, 'inbox'), addition);
  return answer({ added: name, title, worker: penHolder(call.home.ledgers.run) !== null, ...next });
}

function nextTimesOf(task: TaskFile): { next?: string[] } {
  if (!isScheduled(task)) return {};
  try {
    return { next: listNextTimes(readSchedule(task, Date.now()), Date.now()) };
  } catch (error) {
    if (error instanceof ScheduleFieldError) throw new OkaError('usage', `${error.field}: ${error.message}`);
    throw error;
  }
}

export const render = ({ title, worker, next = [] }: Data): string =>
  `Added: ${title}${next.length === 0 ? '' : `\nNext times:${next.map((each) => `\n  ${each}`).join('')}`}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`;

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
