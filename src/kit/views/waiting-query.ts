/** Owns: what is awaited now, by all runs together. */
import type { Rows } from '../../core/schema/rows.ts';
import type { Waiting } from '../../core/schema/view-answers.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import { storedRun } from './run-rows.ts';
import { openWaits } from './wait-view.ts';

/** In the order in which it began to be awaited. */
export function listWaiting(rows: Rows): Waiting[] {
  return openWaits(rows).map(({ wait, run, node, opened, for: awaited, title: asked }) => {
    const title = storedRun(rows, run)?.title ?? asked ?? '';
    return { wait, run, title, node, opened, for: awaited, person: isForPeople(awaited) };
  });
}

/** Whether a person can do something about it. */
export function isForPeople({ kind }: WaitFor): boolean {
  return kind !== 'child' && kind !== 'timer' && kind !== 'turn';
}
