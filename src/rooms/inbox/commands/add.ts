import { join } from 'node:path';
import { addTask, readAddition } from '../../../kit/inbox/add-task.ts';
import { isScheduled, listNextTimes, readSchedule, ScheduleFieldError } from '../../../kit/schedule/schedule-spec.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { TaskFile } from '../../../core/schema/task-file.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { additionFrom } from '../../../kit/cli/addition.ts';

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
