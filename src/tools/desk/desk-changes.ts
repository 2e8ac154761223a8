/** What steps did to the desk, all of them together: where a path was at first and where it is in the end. */
import { type Bytes, toShownPath } from './open-folder.ts';
import type { Objects } from './object-store.ts';
import type { Step } from './plan-undo.ts';
import { differences, type Entry, isSame, entryKind } from './snapshot-tree.ts';

export type Changes = { created: string[]; changed: string[]; removed: string[] };

export function summarizeChanges(objects: Objects, steps: readonly Step[]): Changes {
  const ends = new Map<Bytes, { before: Entry | null; after: Entry | null }>();
  for (const { before, after } of steps)
    for (const change of differences(objects, before, after))
      ends.set(change.path, { before: (ends.get(change.path) ?? change).before, after: change.after });
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
