/** Owns: which files the task of a run asks for in `accept:` of its front matter. A task that an agent has started asks for none. */
import { posix } from 'node:path';
import type { RunState } from '../../core/engine/run-state.ts';
import { TaskGiven } from '../../core/schema/task-run.ts';
import { type Check, parseCheck } from '../../kit/task/checks.ts';
import type { Runs } from '../../kit/ports/port-types.ts';

/** Relative to the desk. */
export async function acceptedFiles(runs: Pick<Runs, 'stateOf'>, run: string): Promise<string[]> {
  const task = TaskGiven.safeParse((await taskAround(runs, run))?.input).data;
  if (task === undefined || task.fields.from_chat !== undefined) return [];
  return (task.fields.accept ?? []).flatMap((text) => {
    const path = fileOf(parseCheck(text.trim()));
    return path === null ? [] : [posix.join(task.dir ?? '', path).replace(/\/$/, '')];
  });
}

/** The run of the task that a run is a part of. */
export async function taskAround(runs: Pick<Runs, 'stateOf'>, run: string): Promise<RunState | null> {
  let found = await runs.stateOf(run);
  while (found !== null && found.parent !== null) found = await runs.stateOf(found.parent);
  return found;
}

function fileOf(check: Check | { kind: 'problem' } | null): string | null {
  if (check === null || !('path' in check)) return null;
  return 'want' in check && check.want === 'absent' ? null : check.path;
}
