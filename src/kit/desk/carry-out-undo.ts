/**
 * Owns: carrying out a plan on the desk, so that it can be carried out again after a crash at any moment.
 *
 * R1 A file is replaced in one rename; a reader sees what was or what is to be.
 * R2 Right before, it is compared with what the plan saw: what has changed in between stays, and is named.
 * R3 Everything goes by descriptor from the desk down; a link in between is never followed.
 */
import { hash } from 'node:crypto';
import { chmodSync, fsyncSync, mkdirSync, readlinkSync } from 'node:fs';
import { renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { writeNewFile } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import {
  type Bytes,
  type OpenFolder,
  withFolderAt,
  isAbsence,
  baseName,
  parentPath,
  toShownPath,
} from './open-folder.ts';
import { withWriteAccess } from './repair-modes.ts';
import { readContentUpTo, skippedEntry, specialEntry } from './take-snapshot.ts';
import type { Objects } from './object-store.ts';
import type { Action, Left } from './plan-undo.ts';
import { type Entry, FOLDER, isSame, entryKind, LINK } from './snapshot-tree.ts';

type Restored = { done: Action[]; left: Left[] };

type Restoring = { desk: string; objects: Objects; left: Map<Bytes, string> };

/** Files that go make room for folders, folders that go for files; modes of folders come last, they may forbid the rest. */
export function carryOutPlan(desk: string, objects: Objects, actions: readonly Action[]): Restored {
  const restoring: Restoring = { desk, objects, left: new Map() };
  const [deepest, highest] = [actions.toReversed(), actions];
  for (const action of deepest) if (isLeaf(action.from) && !isLeaf(action.to)) attempt(restoring, action, removeLeaf);
  for (const action of deepest)
    if (isFolder(action.from) && !isFolder(action.to)) attempt(restoring, action, removeFolder);
  for (const action of highest) if (isFolder(action.to)) attempt(restoring, action, makeFolder);
  for (const action of highest) if (isLeaf(action.to)) attempt(restoring, action, putLeaf);
  for (const action of deepest) if (isFolder(action.to)) attempt(restoring, action, setMode);
  const { left } = restoring;
  return {
    done: actions.filter(({ path }) => !left.has(path)),
    left: [...left].map(([path, why]) => ({ path: toShownPath(path), why })),
  };
}

const isFolder = (entry: Entry | null): boolean => entry !== null && entryKind(entry) === 'folder';
const isLeaf = (entry: Entry | null): boolean => entry !== null && !isFolder(entry);

type Act = (restoring: Restoring, held: OpenFolder, name: Bytes, action: Action) => string | null;

/** What cannot be done is named; the rest goes on. */
function attempt(restoring: Restoring, action: Action, doing: Act): void {
  if (restoring.left.has(action.path)) return;
  try {
    const why = withFolderAt(restoring.desk, parentPath(action.path), (held) => {
      const problem = withWriteAccess(held, () => doing(restoring, held, baseName(action.path), action));
      if (problem === null) fsyncSync(held.fd);
      return problem ?? 'done';
    });
    if (why === null && action.to === null) return;
    if (why !== 'done') restoring.left.set(action.path, why ?? NO_FOLDER);
  } catch (error) {
    restoring.left.set(action.path, messageOf(error));
  }
}

/** Somebody was there first. */
export const CHANGED = 'it has changed in the meantime';
export const NO_FOLDER = 'its folder is not there';

function removeLeaf({ objects }: Restoring, held: OpenFolder, name: Bytes, { from, to }: Action): string | null {
  const current = entryAt(objects, held, name, from);
  if (current === null || isSame(current, to) || isFolder(current)) return null;
  if (!isSame(current, from)) return CHANGED;
  unlinkSync(held.at(name));
  return null;
}

/** One with something in it stays, without a word: what is in it is somebody's. */
function removeFolder(_: Restoring, held: OpenFolder, name: Bytes): string | null {
  try {
    rmdirSync(held.at(name));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  }
  return null;
}

function makeFolder(_: Restoring, held: OpenFolder, name: Bytes): string | null {
  const there = held.stat(name);
  if (there === undefined) mkdirSync(held.at(name), { mode: 0o700 });
  return there === undefined || there.isDirectory() ? null : CHANGED;
}

function setMode(_: Restoring, held: OpenFolder, name: Bytes, { to }: Action): string | null {
  if (to === null || held.stat(name)?.isDirectory() !== true) return null;
  using folder = held.enter(name);
  chmodSync(folder.at(''), to.mode & 0o777);
  return null;
}

function putLeaf({ objects }: Restoring, held: OpenFolder, name: Bytes, { path, from, to }: Action): string | null {
  if (to === null) return null;
  const stateNow = (): 'done' | 'expected' | 'changed' => {
    const current = entryAt(objects, held, name, from);
    if (isSame(current, to)) return 'done';
    return isSame(current, from) || (current === null && isFolder(from)) ? 'expected' : 'changed';
  };
  const state = stateNow();
  if (state !== 'expected') return state === 'done' ? null : CHANGED;
  const temporary = `.oka-undo-${hash('sha256', path).slice(0, 16)}`;
  try {
    rmSync(held.at(temporary), { force: true });
    writeLeaf(objects, held, temporary, to);
    if (stateNow() === 'changed') return CHANGED; // to write takes a while, and it may change meanwhile (R2)
    renameSync(held.at(temporary), held.at(name));
    return null;
  } finally {
    rmSync(held.at(temporary), { force: true });
  }
}

function writeLeaf(objects: Objects, held: OpenFolder, name: Bytes, { mode, oid }: Entry): void {
  const content = objects.get('blob', oid);
  if (entryKind({ mode, oid }) === 'link') symlinkSync(content, held.at(name));
  else writeNewFile(held.at(name), content, { mode: mode & 0o777, exactMode: true, durable: true });
}

/** What is there now, named as the store would; content that was not stored is not read. */
function entryAt(objects: Objects, held: OpenFolder, name: Bytes, expected: Entry | null): Entry | null {
  const stats = held.stat(name);
  if (stats === undefined) return null;
  if (stats.isDirectory()) return { mode: FOLDER | (stats.mode & 0o777), oid: '' };
  if (!stats.isFile() && !stats.isSymbolicLink()) return specialEntry(stats);
  if (expected !== null && entryKind(expected) === 'unkept') return skippedEntry(stats);
  try {
    if (stats.isSymbolicLink())
      return { mode: LINK, oid: objects.nameOf('blob', readlinkSync(held.at(name), { encoding: 'buffer' })) };
    const bytes = readContentUpTo(held.at(name), stats.size);
    if (bytes !== null) return { mode: 0o100000 | (stats.mode & 0o777), oid: objects.nameOf('blob', bytes) };
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
  return skippedEntry(stats);
}
