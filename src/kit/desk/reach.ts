/** Owns: what somebody may change on the desk and outside it, and whether two of them touch. Pure. */
import { posix } from 'node:path';
import { isInFolder } from '../../core/schema/folder.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';

export type Reach = {
  /** Folders of the desk, by their paths below it; all of the desk when left out. */
  place?: readonly string[];
  /** Real paths of folders outside the desk. */
  outside?: readonly string[];
  /** Folders of the desk that it reads and that nobody may change meanwhile. */
  reads?: readonly string[];
  /** Folders of the desk of which it only reads what is directly in them: nobody may change all of one meanwhile. */
  lists?: readonly string[];
};

/** What the record of a call says that it may change. */
type Recorded = {
  place?: readonly string[] | undefined;
  reads?: readonly string[] | undefined;
  folders?: readonly { path: string }[] | undefined;
  uncovered?: readonly string[] | undefined;
};

export const reachOf = ({ place, reads = [], folders = [], uncovered = [] }: Recorded): Reach => ({
  ...(place === undefined ? {} : { place }),
  ...(reads.length === 0 ? {} : { reads }),
  outside: [...folders.map(({ path }) => path), ...uncovered],
});

/** Whether they must not be at work together; those that only read the same may. */
export function doTouch(one: Reach, other: Reach): boolean {
  return (
    placesTouch(one.place, other.place) ||
    placesTouch(one.place, other.reads ?? []) ||
    placesTouch(one.reads ?? [], other.place) ||
    isListed(one.lists, other.place) ||
    isListed(other.lists, one.place) ||
    (one.outside ?? []).some((path) => (other.outside ?? []).some((each) => overlap(path, each)))
  );
}

/** Whether everything that `inner` may change or reads is in `outer`, too. */
export function covers(outer: Reach, inner: Reach): boolean {
  const isOutsideCovered =
    (inner.outside ?? []).every((path) => isInAny(path, outer.outside ?? [])) &&
    (inner.reads ?? []).every(
      (path) => outer.place === undefined || isInAny(path, [...outer.place, ...(outer.reads ?? [])]),
    );
  if (outer.place === undefined || !isOutsideCovered) return isOutsideCovered;
  return inner.place?.every((path) => isInAny(path, outer.place ?? [])) ?? false;
}

/** All that several may change. */
export function joinReaches(all: readonly Reach[]): Reach {
  const outside = [...new Set(all.flatMap((each) => each.outside ?? []))];
  if (all.some(({ place }) => place === undefined)) return { outside };
  return { place: withoutNested(all.flatMap(({ place }) => place ?? [])), outside };
}

/** Each folder once, and none that is inside another. */
export const withoutNested = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter((path) => !paths.some((each) => each !== path && isInFolder(path, each)));

export const isInAny = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isInFolder(path, folder));

/** Whether a person who writes this means a folder of the desk, and not one outside it. */
export const isDeskPath = (written: string): boolean => !/^[~/]/.test(written);

/** Whether a task has a folder of its own on the desk that it did not bring along; its name is that of its run. */
export const hasOwnPlace = ({ dir, fields: { place, writes } }: Pick<TaskGiven, 'dir' | 'fields'>): boolean =>
  dir === null && place === 'own' && writes?.some(isDeskPath) !== true;

/** The path below the desk that a person wrote, '.' for the desk itself; null when it leads out of it. */
export function toDeskPath(written: string): string | null {
  if (!isDeskPath(written) || written.split('/').includes('..') || /\p{Cc}/u.test(written)) return null;
  const path = posix.normalize(written).replace(/\/+$/, '');
  return path === '' ? '.' : path;
}

function placesTouch(one: Reach['place'], other: Reach['place']): boolean {
  if (one === undefined || other === undefined) return (one ?? other)?.length !== 0;
  return one.some((path) => other.some((each) => overlap(path, each)));
}

/** Who works below a folder, in one that is in it, does not change which names are in it. */
const isListed = (lists: readonly string[] = [], place: Reach['place']): boolean =>
  place === undefined ? lists.length > 0 : lists.some((folder) => isInAny(folder, place));

const overlap = (one: string, other: string): boolean => isOnPath(one, other) || isOnPath(other, one);

const isOnPath = (path: string, folder: string): boolean => folder === '.' || isInFolder(path, folder);
