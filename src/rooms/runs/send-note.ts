/**
 * Owns: to whom a note about a run goes. The run itself has it, so that runs that it starts later get it, too; and so does
 * the run inside it that is at work now, whose worker reads it at its next turn.
 */
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { RunNote } from '../../core/schema/run.ts';
import type { Runs } from '../../kit/ports/port-types.ts';

/** `read_by`: a worker at its next turn, or nobody, since the steps are fixed. */
export type SentNote = { run: string; read_by: 'worker' | 'nobody'; stops: boolean };

const DEEPEST = 8;

export async function sendNote(
  runs: Pick<Runs, 'stateOf' | 'note'>,
  run: string,
  { stop_after_step: isStop, ...note }: RunNote,
): Promise<SentNote> {
  if (note.text.trim() === '' && isStop !== true)
    throw new OkaError('usage', 'a note needs words', { fix: `Such as: oka note ${run} "also list the prices"` });
  const around = await openRunsFrom(runs, run);
  const inner = around.at(-1);
  if (inner === undefined) throw new OkaError('no-such-run', `there is no run "${run}"`);
  for (const each of around)
    await runs.note(each.id, each === inner && isStop === true ? { ...note, stop_after_step: true } : note);
  const isRead = around.some(hasWorker);
  return { run: inner.id, read_by: isRead ? 'worker' : 'nobody', stops: isStop === true };
}

/** The run and those inside it that it waits for, the innermost last. */
async function openRunsFrom(runs: Pick<Runs, 'stateOf'>, run: string, depth = DEEPEST): Promise<RunState[]> {
  const state = await runs.stateOf(run);
  if (state === null) return [];
  if (isOver(state.status)) {
    if (depth < DEEPEST) return [];
    throw new OkaError('run-is-over', `run ${run} is ${state.status}; nobody works on it any more`, {
      fix: `Correct its result instead: oka correct ${run} "…"`,
    });
  }
  const [child] = [...state.waits.values()].flatMap(({ for: awaited }) =>
    awaited.kind === 'child' ? [awaited.run] : [],
  );
  return depth === 0 || child === undefined ? [state] : [state, ...(await openRunsFrom(runs, child, depth - 1))];
}

/** Whether a step that is not over is done by a model that decides as it goes; while a task is planned nobody knows. */
function hasWorker({ configs, nodes, plan, waits }: RunState): boolean {
  const isPlanning = plan.graph.id === 'oka.task' && waits.size === 0;
  return (
    isPlanning ||
    configs.some((config, index) => {
      const status = nodes[index]?.status;
      const isOpen = status === 'pending' || status === 'running' || status === 'waiting';
      return isOpen && (config.kind === 'agent' || (config.kind === 'map' && config.each.kind === 'agent'));
    })
  );
}
