/**
 * Owns: merging a folder that was worked on elsewhere into a folder of the desk that people may have changed meanwhile.
 *
 * M1 What only the other side has changed since the base is taken: written, or removed. What only the desk has changed
 *    stays.
 * M2 What both have changed stays as it is on the desk, and the version of the other side is put beside it, under a name
 *    that was free.
 * M3 After a crash at any moment the same merge finishes; what is done is not done again.
 * M4 If something cannot be written, such as with a full disk, the merge fails, and can be tried again.
 */
import { join } from 'node:path';
import { OkaError } from '../../core/schema/errors.ts';
import { programTrigger } from '../../core/schema/program-triggers.ts';
import { CHANGED, carryOutPlan, NO_FOLDER } from './carry-out-undo.ts';
import type { Objects } from './object-store.ts';
import { ancestorPaths, type Bytes, baseName, toBytesPath, toShownPath } from './open-folder.ts';
import { type Bundle, readTaskFile } from './place-task-files.ts';
import { type Action, type Left, planMerge } from './plan-undo.ts';
import { type Change, type Entry, entryKind, flattenTree, FOLDER, isSame } from './snapshot-tree.ts';

/** Regular files in a folder. */
export type FilesIn = Pick<Bundle, 'files'> & { folder: string };

export type FolderToMerge = {
  /** The folder of the desk. */
  name: string;
  /** What both sides began with. */
  base: FilesIn;
  theirs: FilesIn;
};

export type Conflict = {
  /** Below the folder. */
  path: string;
  why: string;
  /** Where the version of the other side is; null when it has removed the file. */
  beside: string | null;
};
export type Merged = { taken: string[]; removed: string[]; conflicts: Conflict[] };

/** `begin` is awaited before anything is changed, and not called when nothing is. */
export async function mergeFolder(
  desk: string,
  objects: Objects,
  now: string,
  { name, base, theirs }: FolderToMerge,
  begin: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Merged> {
  const there = flattenTree(objects, now);
  const before = entriesOf(objects, there, name, theirs);
  const after = entriesOf(objects, there, name, base);
  await objects.flush();
  const { actions, overlaps, notRestorable } = planMerge(objects, now, changesBetween(before, after));
  if (actions.length + overlaps.length + notRestorable.length > 0) await begin();
  const { done, left } = carryOutPlan(desk, objects, actions);
  assertWritten(left);
  const shown = (path: Bytes): string => toShownPath(path.slice(toBytesPath(name).length + 1));
  const conflicts: Conflict[] = [];
  for (const { path, why } of [...overlaps, ...notRestorable, ...left]) {
    const at = toBytesPath(path);
    const entry = before.get(at) ?? null;
    if (entry !== null && entryKind(entry) === 'folder') continue; // its files are conflicts
    const beside = entry === null ? null : toShownPath(putBeside(desk, objects, there, at, entry));
    conflicts.push({ path: shown(at), why, beside });
  }
  const paths = (chosen: readonly Action[]): string[] => chosen.map(({ path }) => shown(path));
  const isFile = (entry: Entry | null): boolean => entry !== null && entryKind(entry) !== 'folder';
  return {
    taken: paths(done.filter(({ to }) => isFile(to))),
    removed: paths(done.filter(({ from, to }) => to === null && isFile(from))),
    conflicts,
  };
}

/** What somebody else has changed is a conflict; everything else is a failure (M4). */
function assertWritten(left: readonly Left[]): void {
  const failed = left.find(({ why }) => why !== CHANGED && why !== NO_FOLDER);
  if (failed !== undefined) throw new OkaError('write-failed', `${failed.path} cannot be written: ${failed.why}`);
}

/** Files and the folders above them. Only whether a file can be executed counts: other modes are those of the desk. */
function entriesOf(
  objects: Objects,
  there: ReadonlyMap<Bytes, Entry>,
  name: string,
  { folder, files }: FilesIn,
): Map<Bytes, Entry> {
  const entries = new Map<Bytes, Entry>();
  for (const file of files) {
    const path = toBytesPath(join(name, file.path));
    for (const above of ancestorPaths(path)) entries.set(above, folderEntry(there.get(above)));
    const mode = file.executable ? 0o100755 : 0o100644;
    const own = there.get(path);
    const isAlike = own !== undefined && entryKind(own) === 'file' && ((own.mode & 0o111) !== 0) === file.executable;
    entries.set(path, { mode: isAlike ? own.mode : mode, oid: objects.put('blob', readTaskFile(folder, file)) });
  }
  return entries;
}

const folderEntry = (own: Entry | undefined): Entry =>
  own !== undefined && entryKind(own) === 'folder' ? own : { mode: FOLDER | 0o755, oid: '' };

function changesBetween(before: ReadonlyMap<Bytes, Entry>, after: ReadonlyMap<Bytes, Entry>): Change[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths
    .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((change) => !isSame(change.before, change.after));
}

const MOST_TRIED = 100;
const MOST_STEM = 200;

/** M2. One that is there already with this content is from before a crash. */
function putBeside(desk: string, objects: Objects, there: ReadonlyMap<Bytes, Entry>, path: Bytes, to: Entry): Bytes {
  const blocked = ancestorPaths(path).find((above) => isOther(there.get(above)));
  for (let number = 1; number <= MOST_TRIED; number++) {
    const free = resultName(blocked ?? path, number) + (blocked === undefined ? '' : path.slice(blocked.length));
    if (programTrigger(toShownPath(free)) !== null) continue;
    const folders = ancestorPaths(free).map(
      (above): Action => ({ path: above, from: null, to: folderEntry(there.get(above)) }),
    );
    const { left } = carryOutPlan(desk, objects, [...folders, { path: free, from: null, to }]);
    if (left.length === 0) return free;
    assertWritten(left);
  }
  throw new OkaError('write-failed', `there is no free name beside ${toShownPath(path)} on the desk`);
}

const isOther = (entry: Entry | undefined): boolean => entry !== undefined && entryKind(entry) !== 'folder';

/** notes.md becomes notes.result.md. */
function resultName(path: Bytes, number: number): Bytes {
  const name = baseName(path);
  const dot = name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length;
  const mark = number === 1 ? '.result' : `.result-${number}`;
  return `${path.slice(0, path.length - name.length)}${name.slice(0, Math.min(dot, MOST_STEM))}${mark}${name.slice(dot)}`;
}
