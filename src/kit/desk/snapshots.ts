/**
 * Owns: .oka/undo, the snapshots of the desk before and after each step that may write, and undoing a run.
 * Does not own: when a snapshot is taken, and its event in the ledger.
 *
 * One process at a time uses it, the one with the pen. A snapshot is complete and durable when `snapshot` resolves.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeErrno, replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Clock } from '../../core/schema/ports.ts';
import {
  type Changes,
  type FileChange,
  type FileLeft,
  findFileChanges,
  findFilesLeft,
  summarizeChanges,
} from './desk-changes.ts';
import { type FileOrigins, openFileOrigins } from './file-origins.ts';
import { findInstructions, type WrittenInstructions } from './find-instructions.ts';
import { findTriggers, type TriggerChange } from './find-triggers.ts';
import { toBytesPath, toShownPath } from './open-folder.ts';
import { type Entry, entryKind, flattenTree, getTree, overlayTree } from './snapshot-tree.ts';
import { type SnapshotLimits, type Snapshot, snapshotDesk, type Seen } from './take-snapshot.ts';
import { type FolderToMerge, type Merged, mergeFolder } from './merge-folder.ts';
import { Objects } from './object-store.ts';
import { type Action, type Left, planUndo, type Step, type UndoPlan } from './plan-undo.ts';
import {
  breathing,
  type Pruned,
  type PruneLimits,
  pruneSnapshots,
  appendRecord,
  readRecords,
} from './prune-snapshots.ts';
import { repairDeskMode } from './repair-modes.ts';
import { carryOutPlan } from './carry-out-undo.ts';
import { oneAtATime } from '../pause.ts';

export type SnapshotOptions = Partial<SnapshotLimits & PruneLimits> & {
  store: string;
  desk: string;
  clock?: Clock;
  /** Whether it is a folder of a person, outside the desk: its modes are left as they are. */
  isForeign?: boolean;
};

export type Undone = { restored: string[]; removed: string[]; overlaps: Left[]; notRestorable: Left[] };

/** `place`: paths of the desk, none inside another; names in `without` are left out. */
type SnapshotOf = { place?: readonly string[] | undefined; without?: ReadonlySet<string> | undefined };

export type Snapshots = {
  /** Takes a snapshot of the desk, or of some folders of it. `label` is for people who inspect the store. */
  snapshot(label: string, of?: SnapshotOf): Promise<Snapshot>;
  /** A snapshot in which some folders are as in another one. */
  overlay(tree: string, over: string, place: readonly string[]): Promise<string>;
  /** Whether an undo was begun and not finished. */
  isUndoing(): boolean;
  /** The names at the top of the desk in this snapshot. */
  topNames(tree: string): Set<string>;
  /** What `undo` would do, without doing it. The steps are of `place`, which is all of the desk when left out. */
  plan(steps: readonly Step[], place?: readonly string[]): Promise<UndoPlan>;
  /** Undoes these steps of a run. Called again after a crash, it finishes what it had started. */
  undo(steps: readonly Step[], label: string, place?: readonly string[]): Promise<Undone>;
  /**
   * Merges a folder from elsewhere into the desk. Called again after a crash, it finishes what it had started. The step is
   * what it changed; nothing else may write to the desk meanwhile. `begin` gets the state before, if anything is changed.
   */
  merge(incoming: FolderToMerge, begin?: (before: string) => Promise<unknown>): Promise<{ merged: Merged; step: Step }>;
  /** Files with which a step makes other programs run something. */
  triggers(step: Step): TriggerChange[];
  /** Files AGENTS.md that a step has written. */
  instructions(step: Step): WrittenInstructions[];
  /** A file of a snapshot; null when it was not stored. */
  contentOf(entry: Entry): Buffer | null;
  /** Makes changes of the desk, each only where the desk is as the change expects it; names those that were not made. */
  change(actions: readonly Action[]): Left[];
  /** Writes a snapshot into an empty folder; names what could not be written there, since it was not stored. */
  copyTo(tree: string, folder: string): Left[];
  /** The regular files and links in a snapshot, by path, each with a text that stands for its mode and content. */
  filesIn(tree: string): Map<string, string>;
  /** What these steps changed, all together. */
  changes(steps: readonly Step[]): Changes;
  /** The regular files that these steps created or changed, as they left them. */
  filesLeft(steps: readonly Step[]): FileLeft[];
  /** The files that these steps changed, each as it was before and after them. */
  fileChanges(steps: readonly Step[]): FileChange[];
  /** The snapshots of a folder outside the desk, by its real path; they are stored next to those of the desk. */
  forFolder(path: string): Snapshots;
  /** Which calls made the files of the desk what they are. */
  readonly origins: FileOrigins;
  prune(): Promise<Pruned>;
  /** Saves the stamps of the files, so that the next process need not read them all. */
  close(): void;
};

const MB = 1024 * 1024;
const DAY_MS = 86_400_000;

export function openSnapshots(options: SnapshotOptions): Snapshots {
  const { store, desk, isForeign = false } = options;
  const { clock = Date.now, mostFileBytes = 32 * MB, mostBytes = 2048 * MB, keepMs = 30 * DAY_MS } = options;
  const limits = { mostFileBytes, mostNewBytes: options.mostNewBytes ?? mostBytes };
  const objects = new Objects(store);
  let seen: Seen | null = null;
  let latest: string | undefined;
  let deskMode: number | null = null;
  const folders = new Map<string, Snapshots>();
  const origins = openFileOrigins(store);
  const inOrder = oneAtATime(); // they share what is known of the files

  const take = async (label: string, { place, without = new Set() }: SnapshotOf): Promise<Snapshot> => {
    if (!objects.isThere()) [seen, latest] = [new Map(), undefined];
    seen ??= loadSeen(store, objects);
    latest ??= readRecords(store).at(-1)?.tree;
    if (!isForeign) deskMode = repairDeskMode(desk, deskMode);
    const taken = await snapshotDesk(desk, objects, seen, { ...limits, without, isForeign, place });
    if (taken.tree !== latest) appendRecord(store, { at: clock(), tree: taken.tree, label });
    latest = taken.tree;
    return taken;
  };

  const snapshot = (label: string, of: SnapshotOf = {}): Promise<Snapshot> => inOrder(() => take(label, of));

  const forget = (pruned: Pruned): Pruned => forgetPruned(pruned, { objects, seen, origins, desk });
  const pruning = openPruning({ store, objects, folders, clock, limits: { mostBytes, keepMs }, inOrder, forget });

  const plan = async (steps: readonly Step[], place?: readonly string[]): Promise<UndoPlan> => {
    const begun = loadJournal(store);
    if (begun?.key === stepsKey(steps)) return begun.plan;
    const planned = planUndo(objects, (await snapshot('before undoing', { place })).tree, steps);
    await objects.flush();
    return planned;
  };

  const undo = async (steps: readonly Step[], label: string, place?: readonly string[]): Promise<Undone> => {
    const begun = loadJournal(store);
    if (begun !== null && begun.key !== stepsKey(steps)) finish(begun);
    const planned = await plan(steps, place);
    const journal: Journal = { key: stepsKey(steps), plan: planned };
    replaceFile(journalFile(store), JSON.stringify(journal), { durable: true });
    const undone = finish(journal);
    await snapshot(label, { place });
    return undone;
  };

  const finish = (begun: Journal): Undone => finishUndo(store, desk, objects, begun);

  return {
    snapshot,
    overlay: async (tree, over, place) => {
      const overlaid = overlayTree(objects, tree, over, place.map(toBytesPath));
      await objects.flush();
      return overlaid;
    },
    isUndoing: () => loadJournal(store) !== null,
    topNames: (tree) => new Set([...getTree(objects, tree).keys()].map(toShownPath)),
    plan,
    undo,
    merge: (incoming, begin) => mergeAsStep(desk, objects, snapshot, incoming, begin),
    triggers: (step) => findTriggers(objects, step),
    instructions: (step) => findInstructions(objects, step),
    contentOf: ({ oid }) => (objects.has(oid) ? objects.get('blob', oid) : null),
    change: (actions) => carryOutPlan(desk, objects, actions).left,
    copyTo: (tree, folder) => carryOutPlan(folder, objects, creations(objects, tree)).left,
    filesIn: (tree) => filesOf(objects, tree),
    changes: (steps) => summarizeChanges(objects, steps),
    filesLeft: (steps) => findFilesLeft(objects, steps),
    fileChanges: (steps) => findFileChanges(objects, steps),
    forFolder: (path) => folderSnapshots(folders, options, path),
    origins,
    prune: pruning.prune,
    close: () => {
      pruning.end();
      for (const each of folders.values()) each.close();
      if (seen !== null && objects.isThere()) replaceFile(seenFile(store), JSON.stringify([...seen]));
    },
  };
}

type PruningOf = {
  store: string;
  objects: Objects;
  folders: ReadonlyMap<string, Snapshots>;
  clock: Clock;
  limits: PruneLimits;
  inOrder: ReturnType<typeof oneAtATime>;
  forget: (pruned: Pruned) => Pruned;
};

/** No state is taken while one goes, none that is taken later relies on what has gone, and nothing goes after the end. */
function openPruning({ store, objects, folders, clock, limits, inOrder, forget }: PruningOf) {
  let isOver = false;
  const turns = oneAtATime();
  const alone = (remove: () => Pruned): Promise<Pruned> =>
    inOrder(async () => (isOver ? { states: 0, objects: 0 } : forget(remove())));
  const prune = async (): Promise<Pruned> => {
    await pruneFolders(store, folders, async (at) => isOver || pruneSnapshots(at, clock(), limits));
    return pruneSnapshots(objects, clock(), limits, { breathe: breathing(() => isOver), alone });
  };
  return { prune: () => turns(prune), end: () => void (isOver = true) };
}

type Remembered = { objects: Objects; seen: Seen | null; origins: FileOrigins; desk: string };

function forgetPruned(pruned: Pruned, { objects, seen, origins, desk }: Remembered): Pruned {
  for (const [path, { oid }] of seen ?? []) if (!objects.has(oid)) seen?.delete(path);
  origins.prune((content) => objects.has(content), desk);
  return pruned;
}

function finishUndo(store: string, desk: string, objects: Objects, { plan }: Journal): Undone {
  const { done, left } = carryOutPlan(desk, objects, plan.actions);
  rmSync(journalFile(store), { force: true });
  const paths = (actions: Action[]): string[] => actions.map(({ path }) => toShownPath(path));
  return {
    restored: paths(done.filter(({ to }) => to !== null)),
    removed: paths(done.filter(({ to }) => to === null)),
    overlaps: [...plan.overlaps, ...left],
    notRestorable: plan.notRestorable,
  };
}

async function mergeAsStep(
  desk: string,
  objects: Objects,
  snapshot: Snapshots['snapshot'],
  incoming: FolderToMerge,
  begin?: (before: string) => Promise<unknown>,
): Promise<{ merged: Merged; step: Step }> {
  const { tree: before } = await snapshot(`before merging ${incoming.name}`);
  const merged = await mergeFolder(desk, objects, before, incoming, () => begin?.(before) ?? Promise.resolve());
  const { tree: after } = await snapshot(`after merging ${incoming.name}`);
  return { merged, step: { before, after } };
}

const MOST_FOREIGN_FILE_BYTES = 256 * MB;

function folderOptions({ clock = Date.now, keepMs, store }: SnapshotOptions, path: string): SnapshotOptions {
  const limits = { mostFileBytes: MOST_FOREIGN_FILE_BYTES, ...(keepMs === undefined ? {} : { keepMs }) };
  return {
    store: folderStore(store, path),
    desk: path,
    isForeign: true,
    clock,
    ...limits,
  };
}

const folderStore = (store: string, path: string): string =>
  join(`${store}-folders`, hash('sha256', path).slice(0, 32));

/** Opened once, so that what is known of its files stays. */
function folderSnapshots(opened: Map<string, Snapshots>, options: SnapshotOptions, path: string): Snapshots {
  const found = opened.get(path) ?? openSnapshots(folderOptions(options, path));
  opened.set(path, found);
  return found;
}

async function pruneFolders(
  store: string,
  opened: ReadonlyMap<string, Snapshots>,
  prune: (objects: Objects) => Promise<unknown>,
): Promise<void> {
  const open = new Set([...opened.keys()].map((path) => folderStore(store, path)));
  for (const at of folderStores(store)) if (!open.has(at)) await prune(new Objects(at));
  for (const each of opened.values()) await each.prune();
}

function folderStores(store: string): string[] {
  const around = `${store}-folders`;
  return existsSync(around) ? readdirSync(around).map((name) => join(around, name)) : [];
}

function filesOf(objects: Objects, tree: string): Map<string, string> {
  const leaves = [...flattenTree(objects, tree)].filter(([, entry]) => entryKind(entry) !== 'folder');
  return new Map(leaves.map(([path, { mode, oid }]) => [toShownPath(path), `${mode.toString(8)} ${oid}`]));
}

/** Everything in a snapshot, as changes of an empty folder. */
const creations = (objects: Objects, tree: string): Action[] =>
  [...flattenTree(objects, tree)].map(([path, to]) => ({ path, from: null, to }));

type Journal = { key: string; plan: UndoPlan };

const journalFile = (store: string): string => join(store, 'undoing.json');
const seenFile = (store: string): string => join(store, 'seen.json');
const stepsKey = (steps: readonly Step[]): string => hash('sha256', JSON.stringify(steps));

function loadJournal(store: string): Journal | null {
  return readJsonOrNull(journalFile(store)) as Journal | null;
}

/** Only what is still in the store. */
function loadSeen(store: string, objects: Objects): Seen {
  const entries = (readJsonOrNull(seenFile(store)) ?? []) as [string, { stamp: string; oid: string }][];
  return new Map(entries.filter(([, { oid }]) => objects.has(oid)));
}

/** Null when it is not there or not whole. */
function readJsonOrNull(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw describeErrno(error, file);
  }
}
