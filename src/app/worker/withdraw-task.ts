/**
 * Owns: withdrawing a task whose file was changed right after it was taken, as long as it has changed nothing.
 *
 * A call that may change something is durable as an intent before it acts. So whoever sees none among the durable events
 * and stops the run in the same moment has stopped it before its first change.
 */
import { isOver } from '../../core/engine/run-state.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { OnDurable, Runs } from '../../kit/ports/port-types.ts';
import type { ResultReports } from '../../kit/ports/results-port.ts';

type Withdrawals = { withdraw: (task: string) => Promise<boolean>; close: () => void };

/** More tasks than are taken within a minute. */
const MOST = 20_000;
const REASON = 'its file was changed after it was taken; the changed task is done instead';

type WithdrawalPorts = {
  /** Durable events of the last minute, from before this process: tasks taken then may still change. */
  earlier?: readonly Event[];
  runs: Pick<Runs, 'stateOf' | 'stop'>;
  onDurable: OnDurable;
  results: Pick<ResultReports, 'write' | 'pending'>;
};

export function watchFirstChanges({ earlier = [], runs, onDurable, results }: WithdrawalPorts): Withdrawals {
  const changed = new Set<string>();
  /** Tasks of which every event was seen here. */
  const known = new Set<string>();
  const parents = new Map<string, string>();
  const note = (event: Event): void => {
    if (event.run === null) return;
    if (event.type === 'task.received') known.add(event.run);
    if (event.type === 'run.started' && event.data.parent !== null) parents.set(event.run, event.data.parent);
    if (event.type === 'run.ended') parents.delete(event.run);
    const mayHaveChanged = (event.type === 'call.started' && event.data.class !== 'read') || event.type === 'task.sent'; // others may work on it
    const task = taskOfRun(event.run, parents);
    if (mayHaveChanged || (event.type === 'run.resumed' && !known.has(task))) changed.add(task);
    for (const set of [changed, known]) if (set.size > MOST) set.delete(set.values().next().value ?? '');
  };
  for (const event of earlier) note(event);
  const close = onDurable((events) => {
    for (const event of events) note(event);
  });
  return {
    close,
    withdraw: async (task) => {
      const state = await runs.stateOf(task);
      if (changed.has(task)) return false;
      if (state !== null && !isOver(state.status)) await cancel(runs, task);
      if (results.pending.runs().includes(task)) await results.write(task); // it was idle, so that nobody else does
      return !changed.has(task);
    },
  };
}

function taskOfRun(run: string, parents: ReadonlyMap<string, string>): string {
  let top = run;
  for (let parent = parents.get(top); parent !== undefined; parent = parents.get(top)) top = parent;
  return top;
}

async function cancel(runs: Pick<Runs, 'stop'>, task: string): Promise<void> {
  try {
    await runs.stop(task, { kind: 'cancel', reason: REASON });
  } catch (error) {
    if (!(error instanceof OkaError) || error.code !== 'run-is-over') throw error; // it ended meanwhile
  }
}
