/** Owns: doing once more what a run did: its task goes into the inbox again, or its graph runs again with the same input. */
import type { Home } from '../../schema/home.ts';
import type { Intake } from '../../schema/intake.ts';
import type { Rows } from '../../schema/rows.ts';
import { storedRun } from '../../views/run-rows.ts';
import { withViews } from '../views/open-views.ts';
import { repeatTask } from './repeat-task.ts';
import { eventsOfRun } from './replay-runs.ts';

/** `request` submits an intake and resolves to the reply. Undefined where the worker has not begun yet. */
export async function repeatRun(
  home: Home,
  run: string,
  request: (intake: Intake) => Promise<unknown>,
): Promise<unknown> {
  const events = await eventsOfRun(home, run);
  if (events.some(({ type }) => type === 'task.received')) {
    await repeatTask(home, run, events);
    return undefined;
  }
  const id = await withViews(home, (rows) => freeReplayName(rows, run));
  return request({ kind: 'rerun', id, link: { kind: 'replay', run } });
}

const LONGEST_BASE = 100;

function freeReplayName(rows: Rows, run: string): string {
  const base = `${run.slice(0, LONGEST_BASE)}-replay`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (storedRun(rows, name) === undefined) return name;
  }
}
