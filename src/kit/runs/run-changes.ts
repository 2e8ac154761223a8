/** Owns: what recorded steps changed, on the desk and in folders outside it. */
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
