/** What steps did to the desk, all of them together: where a path was at first and where it is in the end. */
import { type Bytes, toShownPath } from './open-folder.ts';
import type { Objects } from './object-store.ts';
import type { Step } from './plan-undo.ts';
import { differences, type Entry, isSame, entryKind } from './snapshot-tree.ts';

export type Changes = { created: string[]; changed: string[]; removed: string[] };

export function summarizeChanges(objects: Objects, steps: readonly Step[]): Changes {
  const ends = endsOf(objects, steps);
  const changes: Changes = { created: [], changed: [], removed: [] };
  for (const [path, { before, after }] of ends) {
    const entry = after ?? before;
    if (isSame(before, after) || entry === null || entryKind(entry) === 'folder') continue;
    changes[before === null ? 'created' : after === null ? 'removed' : 'changed'].push(toShownPath(path));
  }
  return {
    created: changes.created.toSorted(),
    changed: changes.changed.toSorted(),
    removed: changes.removed.toSorted(),
  };
}

export type FileLeft = { path: string; entry: Entry };

/** The regular files that steps created or changed, as they left them. */
export function findFilesLeft(objects: Objects, steps: readonly Step[]): FileLeft[] {
  return [...endsOf(objects, steps)]
    .flatMap(([path, { before, after }]) =>
      after === null || isSame(before, after) || entryKind(after) !== 'file'
        ? []
        : [{ path: toShownPath(path), entry: after }],
    )
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export type FileChange = { path: string; before: Entry | null; after: Entry | null };

/** The files and links that steps changed, each as it was before the first step and after the last one. */
export function findFileChanges(objects: Objects, steps: readonly Step[]): FileChange[] {
  return [...endsOf(objects, steps)]
    .filter(([, { before, after }]) => !isSame(before, after) && [before, after].some(isLeaf))
    .map(([path, { before, after }]) => ({
      path: toShownPath(path),
      before: isLeaf(before) ? before : null,
      after: isLeaf(after) ? after : null,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const isLeaf = (entry: Entry | null): boolean => entry !== null && entryKind(entry) !== 'folder';

type Ends = Map<Bytes, { before: Entry | null; after: Entry | null }>;

/** What each path was before the first step and after the last one that changed it. */
function endsOf(objects: Objects, steps: readonly Step[]): Ends {
  const ends: Ends = new Map();
  for (const { before, after } of steps)
    for (const change of differences(objects, before, after))
      ends.set(change.path, { before: (ends.get(change.path) ?? change).before, after: change.after });
  return ends;
}
