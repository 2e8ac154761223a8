/** What a person can do with a run now. The worker decides again when it is asked; this only chooses the buttons. */
import type { RunStatus } from '../../../core/schema/run.ts';
import type { Act } from './run-answer.ts';
import type { RunTree } from './run-tree.ts';

export function possibleActs(
  { row, own, all, plans, isTask }: RunTree,
  status: RunStatus,
  { hasDeliverables, isUndone }: { hasDeliverables: boolean; isUndone: boolean },
): Act[] {
  if (row === null) return [];
  const isOver = status === 'done' || status === 'failed' || status === 'cancelled';
  const hasWritten = all.some(({ type, data }) => type === 'desk.kept' && data.when === 'after');
  const offered: Record<Act, boolean> = {
    note: !isOver,
    pause: status === 'running' || status === 'blocked',
    resume: status === 'paused' || (status === 'failed' && row.depth === 0),
    cancel: !isOver,
    undo: hasWritten && !isUndone,
    correct: isTask && hasDeliverables,
    again: isOver && own.some(({ type }) => type === 'task.received'),
    save_graph: isOver && (!isTask || plans.length > 0),
  };
  return (Object.keys(offered) as Act[]).filter((act) => offered[act]);
}
