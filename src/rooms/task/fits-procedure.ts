/** Whether a task that waits to be planned for the first time could be planned from a procedure by now. */
import { readTaskCriteria } from '../../kit/task/runbook.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import { pastRounds } from './past-rounds.ts';
import { bodyOf, type TaskPorts } from './task-ports.ts';

export async function fitsProcedure(ports: TaskPorts, run: string): Promise<boolean> {
  const task = (await ports.stateOf(run))?.input as unknown as TaskGiven | undefined;
  if (task === undefined) return false;
  const body = await bodyOf(ports, task);
  if (readTaskCriteria(body, task.fields).problems.length > 0) return false;
  const { kind } = await ports.procedures({ run, task, body });
  return kind === 'plan' && (await pastRounds(ports, run)).length === 0;
}
