/**
 * Owns: the place of a task: the folders of the desk that its calls may change.
 *
 * A1 A task that came as a folder has that folder, one with `dir:` has that one, and both have what they name in `writes:`
 *    in addition. A task that names nothing has the whole desk, as has everything that is no task.
 * A2 It is followed from the input of the task's run, so that it is the same after a crash.
 * A3 Where a place cannot be held apart from the rest of the desk, the call has the whole desk: a command that runs without
 *    a sandbox, a path with a link in it, a folder inside a repository of git, whose parts are judged together.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';
import { TaskGiven } from '../../core/schema/task-run.ts';
import { runsCommand, type ToolCall } from '../../core/schema/tool.ts';
import { isDeskPath, toDeskPath, withoutNested } from '../../kit/desk/reach.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { taskAround } from './accepted-files.ts';

type PlacePorts = {
  home: Home;
  runs: Pick<Runs, 'stateOf'>;
  /** Whether the kernel holds a command to its place. */
  isConfined: (call: ToolCall) => Promise<boolean>;
};

export type TaskPlaces = {
  /** The folders of the desk that a call may change; null for all of it. A fork changes its copy, and nothing of the desk. */
  of: (call: ToolCall) => Promise<readonly string[] | null>;
  /** Makes the folders in `writes:` that are not there. */
  make: (call: ToolCall) => Promise<void>;
};

export function taskPlaces({ home, runs, isConfined }: PlacePorts): TaskPlaces {
  const desk = deskFolder(home);
  /** By the input of the run, which stays the same. */
  const known = new WeakMap<object, { given: TaskGiven | undefined }>();
  const taskOf = async ({ run }: ToolCall): Promise<TaskGiven | undefined> => {
    const input = (await taskAround(runs, run))?.input;
    if (typeof input !== 'object' || input === null) return undefined;
    const found = known.get(input) ?? { given: TaskGiven.safeParse(input).data };
    known.set(input, found);
    return found.given;
  };
  return {
    of: async (call) => {
      if (runsCommand(call.tool) && !(await isConfined(call))) return null;
      if (call.desk !== undefined) return [];
      const task = await taskOf(call);
      const named = task === undefined ? null : placeOfTask(task);
      return named?.every((path) => isApart(desk, path)) === true ? named : null;
    },
    make: async (call) => {
      if (call.desk !== undefined) return;
      const task = await taskOf(call);
      for (const path of task === undefined ? [] : (placeOfTask({ ...task, dir: null }) ?? []))
        if (isApart(desk, path)) mkdirSync(join(desk, path), { recursive: true });
    },
  };
}

/** Null for the whole desk. */
function placeOfTask({ dir, fields }: Pick<TaskGiven, 'dir' | 'fields'>): string[] | null {
  const written = [...(dir === null ? [] : [dir]), ...(fields.writes ?? []).filter(isDeskPath)];
  const paths = written.map(toDeskPath);
  if (paths.length === 0) return null;
  const known = paths.flatMap((path) => (path === null || path === '.' ? [] : [path]));
  return known.length < paths.length ? null : withoutNested(known);
}

/** A3. What is not there yet is apart. */
function isApart(desk: string, path: string): boolean {
  let folder = desk;
  for (const name of path.split('/')) {
    if (looksLikeRepository(folder)) return false;
    folder = join(folder, name);
    const found = lstatIfPresent(folder);
    if (found === undefined) return true;
    if (!found.isDirectory()) return false;
  }
  return true;
}

/** As kit/desk/find-triggers.ts sees it: what is written in such a folder may be a hook or a setting. */
function looksLikeRepository(folder: string): boolean {
  const has = (name: string): boolean => lstatIfPresent(join(folder, name)) !== undefined;
  return /\/\.git$/i.test(folder) || has('HEAD') || (has('objects') && has('refs'));
}
