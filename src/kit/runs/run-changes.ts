/** Owns: what recorded steps changed, on the desk and in folders outside it, and how the files were before. */
import { join } from 'node:path';
import type { Event } from '../../core/schema/event.ts';
import type { Changes } from '../desk/desk-changes.ts';
import type { Snapshots } from '../desk/snapshots.ts';
import { foldersIn, stepsOf } from './recorded-steps.ts';

/** Paths on the desk are relative to it; those outside are absolute. */
export function changesOf(events: readonly Event[], shadow: Pick<Snapshots, 'changes' | 'forFolder'>): Changes {
  const desk = shadow.changes(stepsOf(events, null));
  return foldersIn(events).reduce((all, folder) => {
    const { created, changed, removed } = shadow.forFolder(folder).changes(stepsOf(events, null, folder));
    const named = (paths: readonly string[]): string[] => paths.map((path) => join(folder, path));
    return {
      ...all,
      created: [...all.created, ...named(created)],
      changed: [...all.changed, ...named(changed)],
      removed: [...all.removed, ...named(removed)],
    };
  }, desk);
}

/** A file that was there before and after the steps, as it was both times. */
export type FileEdit = { path: string; before: Buffer; after: Buffer };

/** The files that steps changed; not those whose snapshots were removed since. */
export function editsOf(
  events: readonly Event[],
  shadow: Pick<Snapshots, 'fileChanges' | 'contentOf' | 'forFolder'>,
): FileEdit[] {
  return [null, ...foldersIn(events)].flatMap((folder) => {
    const snapshots = folder === null ? shadow : shadow.forFolder(folder);
    return snapshots.fileChanges(stepsOf(events, null, folder)).flatMap((change): FileEdit[] => {
      if (change.before === null || change.after === null) return [];
      const [before, after] = [snapshots.contentOf(change.before), snapshots.contentOf(change.after)];
      const path = folder === null ? change.path : join(folder, change.path);
      return before === null || after === null ? [] : [{ path, before, after }];
    });
  });
}
