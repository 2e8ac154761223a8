/**
 * Owns: the plan that undoes a run on the desk, or merges a folder into it, which is to undo the way back from the folder to
 * its base. Does not own: carrying it out. It changes nothing but the store.
 *
 * U1 Steps are undone from the last to the first, each as the change from its snapshot before to its snapshot after.
 * U2 What is now as the step left it becomes what it was before. What people have changed since stays changed: lines
 *    elsewhere in a file stay, a file that was moved goes back with its new lines.
 * U3 Where both changed the same, everything stays as it is now and is named.
 * U4 The same states give the same plan.
 * U5 Files that come from elsewhere are taken whole: a merge changes only what is as it was at the base.
 */
import { OkaError } from '../../core/schema/errors.ts';
import { ancestorPaths, type Bytes, toShownPath } from './open-folder.ts';
import { programTrigger } from '../../core/schema/program-triggers.ts';
import { lineSimilarity, mergeLines } from './merge-lines.ts';
import type { Objects } from './object-store.ts';
import { type Change, differences, type Entry, FOLDER, flattenTree, isSame, entryKind } from './snapshot-tree.ts';

/** What a step did: its snapshots of the desk, before and after. */
export type Step = { before: string; after: string };
export type Action = { path: Bytes; from: Entry | null; to: Entry | null };
export type Left = { path: string; why: string };
export type UndoPlan = {
  actions: Action[];
  /** Files that are restored, including lines that people changed since. */
  restore: string[];
  remove: string[];
  /** Changed by people as well; left as they are. */
  overlaps: Left[];
  notRestorable: Left[];
};

/** How two changes of one file come together, and why some do not. */
type Rule = { isByLine: boolean; why: Record<'removedSince' | 'madeSince' | 'changedSince' | 'samePlace', string> };

type Undoing = {
  objects: Objects;
  rule: Rule;
  now: ReadonlyMap<Bytes, Entry>;
  /** The planned entry, for paths that will change. */
  next: Map<Bytes, Entry | null>;
  overlaps: Map<Bytes, string>;
  notRestorable: Map<Bytes, string>;
};

const MIN_SIMILARITY = 0.5;

const UNDO: Rule = {
  isByLine: true,
  why: {
    removedSince: 'it was changed by the run and removed since',
    madeSince: 'it was removed by the run and created again since',
    changedSince: 'it was made by the run and changed since',
    samePlace: 'the same place was changed by the run and since',
  },
};

const MERGE: Rule = {
  isByLine: false,
  why: {
    removedSince: 'it was changed by the task and removed here',
    madeSince: 'it was made by the task and here',
    changedSince: 'it was removed by the task and changed here',
    samePlace: 'it was changed by the task and here',
  },
};

export function planUndo(objects: Objects, now: string, steps: readonly Step[]): UndoPlan {
  const changes = steps.toReversed().map((step) => stepChanges(objects, step));
  return planWithout(objects, now, changes, UNDO);
}

/** `changes` lead from what is to be taken (`before`) back to its base (`after`). */
export function planMerge(objects: Objects, now: string, changes: readonly Change[]): UndoPlan {
  return planWithout(objects, now, [changes], MERGE);
}

/** What to do so that the desk is as it is now, without these changes. */
function planWithout(objects: Objects, now: string, all: readonly (readonly Change[])[], rule: Rule): UndoPlan {
  const undoing: Undoing = {
    objects,
    rule,
    now: flattenTree(objects, now),
    next: new Map(),
    overlaps: new Map(),
    notRestorable: new Map(),
  };
  for (const changes of all) undoChanges(undoing, changes);
  settlePlaces(undoing);
  return toPlan(undoing);
}

function stepChanges(objects: Objects, { before, after }: Step): Change[] {
  try {
    return differences(objects, before, after);
  } catch (error) {
    if (!(error instanceof OkaError) || !error.code.startsWith('artifact-')) throw error;
    throw new OkaError('refused', 'the snapshots of the desk around this run are no longer stored', {
      fix: 'Snapshots are stored for some days and up to some size; this run can no longer be undone.',
      cause: error,
    });
  }
}

const plannedEntry = ({ next, now }: Undoing, path: Bytes): Entry | null => {
  const planned = next.get(path);
  return planned === undefined ? (now.get(path) ?? null) : planned;
};

function undoChanges(undoing: Undoing, changes: readonly Change[]): void {
  const moved = new Set(undoing.rule.isByLine ? changes.flatMap((change) => undoMove(undoing, change, changes)) : []);
  for (const change of changes) {
    const isLeft = undoing.overlaps.has(change.path) || undoing.notRestorable.has(change.path);
    if (!moved.has(change) && !isLeft) undoChange(undoing, change);
  }
}

function undoChange(undoing: Undoing, change: Change): void {
  const { path, before, after } = change;
  const { isByLine, why } = undoing.rule;
  const current = plannedEntry(undoing, path);
  if (isSame(current, before)) return;
  const hasFolder = hasKind(before, 'folder') || hasKind(after, 'folder');
  if (hasFolder && undoFolderChange(undoing, change)) return;
  if (hasKind(before, 'unkept'))
    leave(undoing, path, 'notRestorable', 'it was too large, or not readable, and was not stored');
  else if (isSame(current, after)) restoreTo(undoing, path, before);
  else if (current === null) leave(undoing, path, 'overlaps', why.removedSince);
  else if (after === null) leave(undoing, path, 'overlaps', why.madeSince);
  else if (before === null) leave(undoing, path, 'overlaps', why.changedSince);
  else if (!isByLine) leave(undoing, path, 'overlaps', why.samePlace);
  else if (programTrigger(path) !== null)
    leave(undoing, path, 'overlaps', 'it makes other programs run, and was changed by the run and since');
  else mergeOut(undoing, path, current, before, after);
}

const hasKind = (entry: Entry | null, kind: ReturnType<typeof entryKind>): boolean =>
  entry !== null && entryKind(entry) === kind;

/** Folders are made again or emptied as their files need it. False when a folder is where something else has to be. */
function undoFolderChange(undoing: Undoing, { path, before, after }: Change): boolean {
  const current = plannedEntry(undoing, path);
  const isFolder = hasKind(current, 'folder');
  if (before === null) {
    if (isFolder) undoing.next.set(path, null);
    return true;
  }
  if (entryKind(before) !== 'folder') {
    if (isFolder) restoreTo(undoing, path, before);
    return isFolder;
  }
  if (isSame(current, after)) undoing.next.set(path, before);
  return isSame(current, after) || current === null || isFolder;
}

function restoreTo(undoing: Undoing, path: Bytes, before: Entry | null): void {
  if (before !== null && entryKind(before) !== 'folder' && !undoing.objects.has(before.oid))
    leave(undoing, path, 'notRestorable', 'its earlier content is no longer stored');
  else undoing.next.set(path, before);
}

function leave(undoing: Undoing, path: Bytes, how: 'overlaps' | 'notRestorable', why: string): void {
  undoing[how].set(path, why);
  undoing.next.delete(path);
}

function mergeOut(undoing: Undoing, path: Bytes, current: Entry, before: Entry, after: Entry): void {
  const result = withoutChange(undoing, current, before, after);
  if (result === null) leave(undoing, path, 'overlaps', undoing.rule.why.samePlace);
  else undoing.next.set(path, result);
}

/** `current` without what led from `before` to `after`; null when the two cannot be separated. */
function withoutChange({ objects }: Undoing, current: Entry, before: Entry, after: Entry): Entry | null {
  if (![current, before, after].every((entry) => entryKind(entry) === 'file')) return null;
  const mode = current.mode === after.mode ? before.mode : current.mode;
  if (before.oid === after.oid) return { mode, oid: current.oid };
  if (current.oid === after.oid) return { mode, oid: before.oid };
  const [base, ours, theirs] = [
    readBlob(objects, after.oid),
    readBlob(objects, current.oid),
    readBlob(objects, before.oid),
  ];
  if (base === null || ours === null || theirs === null) return null;
  const text = mergeLines(base, ours, theirs);
  return text === null ? null : { mode, oid: objects.put('blob', text) };
}

function readBlob(objects: Objects, oid: string): Buffer | null {
  try {
    return objects.get('blob', oid);
  } catch (error) {
    if (error instanceof OkaError && error.code.startsWith('artifact-')) return null;
    throw error;
  }
}

/** A file that the step moved and people changed since goes back to where it was, with their change. */
function undoMove(undoing: Undoing, made: Change, changes: readonly Change[]): Change[] {
  const current = plannedEntry(undoing, made.path);
  if (made.before !== null || !hasKind(made.after, 'file') || !hasKind(current, 'file')) return [];
  if (made.after === null || current === null || isSame(current, made.after)) return [];
  const origin = findOrigin(undoing, made.after, changes);
  if (origin === undefined || origin.before === null) return [];
  const result = withoutChange(undoing, current, origin.before, made.after);
  if (result === null) return [];
  undoing.next.set(origin.path, result);
  undoing.next.set(made.path, null);
  return [made, origin];
}

function findOrigin(undoing: Undoing, made: Entry, changes: readonly Change[]): Change | undefined {
  const gone = changes.filter(
    ({ path, before, after }) => after === null && hasKind(before, 'file') && plannedEntry(undoing, path) === null,
  );
  const same = gone.find(({ before }) => before?.oid === made.oid);
  if (same !== undefined) return same;
  const text = readBlob(undoing.objects, made.oid);
  const rated = gone.map((change) => ({
    change,
    rate: text === null ? 0 : entrySimilarity(undoing, text, change.before),
  }));
  const best = rated.toSorted((a, b) => b.rate - a.rate)[0];
  return best !== undefined && best.rate >= MIN_SIMILARITY ? best.change : undefined;
}

function entrySimilarity({ objects }: Undoing, text: Buffer, entry: Entry | null): number {
  const other = entry === null ? null : readBlob(objects, entry.oid);
  return other === null ? 0 : lineSimilarity(text, other);
}

/** Where a file cannot be because people have something else there, or below it, everything stays as it is. */
function settlePlaces(undoing: Undoing): void {
  for (let conflicts = findBlocked(undoing); conflicts.length > 0; conflicts = findBlocked(undoing))
    for (const path of conflicts) leave(undoing, path, 'overlaps', 'something else is in its place');
  const used = foldersInUse(undoing);
  for (const [path, entry] of undoing.next)
    if (entry === null && used.has(path) && hasKind(undoing.now.get(path) ?? null, 'folder')) undoing.next.delete(path);
  for (const path of used)
    if (plannedEntry(undoing, path) === null) undoing.next.set(path, { mode: FOLDER | 0o755, oid: '' });
}

function findBlocked(undoing: Undoing): Bytes[] {
  const used = foldersInUse(undoing);
  return [...undoing.next].flatMap(([path, entry]) => {
    if (entry === null) return [];
    const isOnTop = entryKind(entry) !== 'folder' && used.has(path);
    return isOnTop || ancestorPaths(path).some((above) => isLeaf(plannedEntry(undoing, above))) ? [path] : [];
  });
}

const isLeaf = (entry: Entry | null): boolean => entry !== null && entryKind(entry) !== 'folder';

/** Folders that something will be in. */
function foldersInUse(undoing: Undoing): Set<Bytes> {
  const used = new Set<Bytes>();
  const paths = new Set([...undoing.now.keys(), ...undoing.next.keys()]);
  for (const path of paths) {
    if (plannedEntry(undoing, path) !== null) for (const above of ancestorPaths(path)) used.add(above);
  }
  return used;
}

function toPlan({ now, next, overlaps, notRestorable }: Undoing): UndoPlan {
  const actions = [...next]
    .map(([path, to]): Action => ({ path, from: now.get(path) ?? null, to }))
    .filter(({ from, to }) => !isSame(from, to))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const paths = (chosen: Action[]): string[] => chosen.map(({ path }) => toShownPath(path));
  const left = (reasons: Map<Bytes, string>): Left[] =>
    [...reasons].map(([path, why]) => ({ path: toShownPath(path), why }));
  return {
    actions,
    restore: paths(actions.filter(({ to }) => to !== null)),
    remove: paths(actions.filter(({ to }) => to === null)),
    overlaps: left(overlaps),
    notRestorable: left(notRestorable),
  };
}
