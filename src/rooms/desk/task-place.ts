/**
 * Owns: the place of a task: the folders of the desk that its calls may change.
 *
 * A1 A task that came as a folder has that folder, one with `dir:` has that one, and both have what they name in `writes:`
 *    in addition. A task that names nothing has the whole desk, as has everything that is no task.
 * A2 It is followed from the task's run, so that it is the same after a crash.
 * A3 Where a place cannot be held apart from the rest of the desk, the call has the whole desk: a command that runs without
 *    a sandbox, a path with a link in it, a folder inside a repository of git, whose parts are judged together.
 * A4 A task with `place: own` has a folder of its own. Its commands change in addition what its plan names as its targets;
 *    its other calls change just the paths that they name. Each call asks for all that it may change at once.
 * A5 A command reads the files that its words name, as the tools that read do. What else it reads nobody knows before it
 *    runs: for that there is `reads:`.
 */
import { mkdirSync, rmdirSync } from 'node:fs';
import { isAbsolute, join, posix, relative, resolve } from 'node:path';
import type { RunState } from '../../core/engine/run-state.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { isInFolder } from '../../core/schema/folder.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { Home } from '../../core/schema/home.ts';
import { Planned, TaskGiven } from '../../core/schema/task-run.ts';
import { runsCommand, type ToolCall } from '../../core/schema/tool.ts';
import { hasOwnPlace, isDeskPath, isInAny, type Reach, toDeskPath, withoutNested } from '../../kit/desk/reach.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { taskAround } from './accepted-files.ts';

type PlacePorts = {
  home: Home;
  runs: Pick<Runs, 'stateOf'>;
  /** Whether the kernel holds a command to its place. */
  isConfined: (call: ToolCall) => Promise<boolean>;
  /** Paths in the words of a command, as they are written; none for another tool. */
  namedIn: (call: ToolCall) => readonly string[];
};

/** What a call is about, as far as its place goes. */
export type PlacedCall = ToolCall & { paths?: readonly string[] };

export type Reading = Pick<Reach, 'reads' | 'lists'>;

export type TaskPlaces = {
  /** The folders of the desk that a call may change; null for all of it. A fork changes its copy, and nothing of the desk. */
  of: (call: PlacedCall) => Promise<readonly string[] | null>;
  /** What the task of a call names as read, and what of the desk the call reads. */
  readBy: (call: PlacedCall) => Promise<Reading>;
  /** Makes the folders of its task that are not there; what it gives removes those of them that stayed empty again. */
  make: (call: ToolCall) => Promise<() => void>;
};

type Task = { run: RunState; given: TaskGiven };

export function taskPlaces({ home, runs, isConfined, namedIn }: PlacePorts): TaskPlaces {
  const desk = deskFolder(home);
  /** By the input of the run, which stays the same. */
  const known = new WeakMap<object, { given: TaskGiven | undefined }>();
  const taskOf = async ({ run }: ToolCall): Promise<Task | null> => {
    const around = await taskAround(runs, run);
    const input = around?.input;
    if (around === null || typeof input !== 'object' || input === null) return null;
    const found = known.get(input) ?? { given: TaskGiven.safeParse(input).data };
    known.set(input, found);
    return found.given === undefined ? null : { run: around, given: found.given };
  };
  const placeOf = async (call: PlacedCall): Promise<readonly string[] | null> => {
    if (runsCommand(call.tool) && !(await isConfined(call))) return null;
    if (call.desk !== undefined) return [];
    const task = await taskOf(call);
    if (task === null) return null;
    const named = hasOwnPlace(task.given) ? ownPlace(desk, task, call) : placeOfTask(task.given);
    return named?.every((path) => isApart(desk, path)) === true ? named : null;
  };
  /** A5. Whoever has the whole desk waits for all others anyway. */
  const filesNamed = async (call: ToolCall): Promise<string[]> => {
    const place = runsCommand(call.tool) ? await placeOf(call) : null;
    if (place === null) return [];
    const start = jsonField(call.input, 'dir');
    const paths = namedIn(call).map((path) => resolve(desk, typeof start === 'string' ? start : '.', path));
    const onDesk = paths.filter((path) => isInFolder(path, desk) && lstatIfPresent(path)?.isFile() === true);
    return onDesk.map((path) => relative(desk, path)).filter((path) => !isInAny(path, place));
  };
  return {
    of: placeOf,
    readBy: async (call) => {
      const task = call.desk === undefined ? await taskOf(call) : null;
      if (task === null) return {};
      const { reads = [], lists = [] } = readByTool(call);
      const named = await filesNamed(call);
      const all = [
        ...(task.given.fields.reads ?? []).filter(isDeskPath),
        ...[...reads, ...named].map((path) => belowDesk(desk, path)),
      ];
      return {
        ...paths('reads', withoutNested(all.flatMap((path) => toDeskPath(path) ?? []))),
        ...paths(
          'lists',
          lists.flatMap((path) => toDeskPath(belowDesk(desk, path)) ?? []),
        ),
      };
    },
    make: async (call) => {
      const task = call.desk === undefined ? await taskOf(call) : null;
      if (task === null) return () => undefined;
      const isOwn = hasOwnPlace(task.given);
      if (isOwn && !runsCommand(call.tool)) return () => undefined;
      const place = isOwn ? ownPlace(desk, task, call) : placeOfTask({ ...task.given, dir: null });
      const remove = makeFolders(desk, place?.filter((path) => isApart(desk, path)) ?? []);
      return isOwn ? remove : () => undefined;
    },
  };
}

/** As it is written in the call. A list without what is below reads names only. */
function readByTool({ tool, input }: ToolCall): Reading {
  const path = jsonField(input, 'path') ?? '.';
  if (typeof path !== 'string') return {};
  if (tool === 'files.list' && jsonField(input, 'recursive') !== true) return { lists: [path] };
  return READERS.has(tool) ? { reads: [path] } : {};
}

const READERS: ReadonlySet<string> = new Set(['files.read', 'files.list', 'files.search']);

const paths = (kind: 'reads' | 'lists', named: readonly string[]): Reading =>
  named.length === 0 ? {} : { [kind]: named };

const belowDesk = (desk: string, path: string): string => (isInFolder(path, desk) ? relative(desk, path) || '.' : path);

/** Those that the call leaves empty go again. */
function makeFolders(desk: string, paths: readonly string[]): () => void {
  const made = paths.filter((path) => lstatIfPresent(join(desk, path)) === undefined);
  for (const path of made) mkdirSync(join(desk, path), { recursive: true });
  return () => {
    for (const path of made) removeIfEmpty(join(desk, path));
  };
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is gone.
  }
}

/** A4. Null for the whole desk. */
function ownPlace(desk: string, { run }: Task, { tool, paths }: PlacedCall): string[] | null {
  if (!runsCommand(tool) && paths !== undefined) {
    const onDesk = paths.filter((path) => !isAbsolute(path) || isInFolder(path, desk));
    const changed = onDesk.map((path) => changedPath(desk, path));
    return changed.includes(null) ? null : withoutNested(changed.filter((path) => path !== null));
  }
  const plan = run.configs.findIndex(({ id }) => id === 'plan');
  const targets = Planned.safeParse(run.nodes[plan]?.output).data?.targets ?? [];
  const folders = targets.map((target) => folderOfTarget(desk, target));
  return folders.includes(null) ? null : withoutNested([run.id, ...folders.filter((path) => path !== null)]);
}

/** The path itself, or the first folder on the way to it that has to be made. */
function changedPath(desk: string, written: string): string | null {
  const path = toDeskPath(written);
  if (path === null || path === '.') return null;
  const names = path.split('/');
  const missing = names.findIndex((_, index) => lstatIfPresent(join(desk, ...names.slice(0, index + 1))) === undefined);
  return missing === -1 ? path : names.slice(0, missing + 1).join('/');
}

/** The folder in which a command that changes what a glob names makes and replaces files. */
function folderOfTarget(desk: string, target: string): string | null {
  const path = toDeskPath(target);
  if (path === null) return null;
  const names = path.split('/');
  const glob = names.findIndex((name) => /[*?[\]{}!]/.test(name));
  const plain = glob === -1 ? path : names.slice(0, glob).join('/');
  const isFolder = glob !== -1 || lstatIfPresent(join(desk, plain))?.isDirectory() === true;
  const folder = isFolder ? plain : posix.dirname(plain);
  return folder === '' || folder === '.' ? null : folder;
}

/** Null for the whole desk. */
function placeOfTask({ dir, fields }: Pick<TaskGiven, 'dir' | 'fields'>): string[] | null {
  const written = [...(dir === null ? [] : [dir]), ...(fields.writes ?? []).filter(isDeskPath)];
  const paths = written.map(toDeskPath);
  if (paths.length === 0) return null;
  const known = paths.flatMap((path) => (path === null || path === '.' ? [] : [path]));
  return known.length < paths.length ? null : withoutNested(known);
}

/** A3. What is not there yet is apart, and so is a file. */
function isApart(desk: string, path: string): boolean {
  let folder = desk;
  const names = path.split('/');
  for (const [index, name] of names.entries()) {
    if (looksLikeRepository(folder)) return false;
    folder = join(folder, name);
    const found = lstatIfPresent(folder);
    if (found === undefined) return true;
    if (!found.isDirectory()) return found.isFile() && index === names.length - 1;
  }
  return true;
}

/** As kit/desk/find-triggers.ts sees it: what is written in such a folder may be a hook or a setting. */
function looksLikeRepository(folder: string): boolean {
  const has = (name: string): boolean => lstatIfPresent(join(folder, name)) !== undefined;
  return /\/\.git$/i.test(folder) || has('HEAD') || (has('objects') && has('refs'));
}
