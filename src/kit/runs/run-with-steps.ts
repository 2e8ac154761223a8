/** Which run has the steps of a task: a task is a run around them. */
import { taskGraph } from '../task/task-loop.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { RunRow } from '../views/run-rows.ts';

/** The steps of a task are those of the last run inside it. */
export function runWithSteps({ run, graph, children }: RunRow): string {
  if (graph !== taskGraph.id) return run;
  const inside = children.findLast((child) => child.startsWith(`${run}.`));
  if (inside !== undefined) return inside;
  throw new OkaError('usage', `${run} has not begun any step yet`, { fix: `Give the task again: oka again ${run}` });
}
