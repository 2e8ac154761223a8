/** Owns: what is different between the files as a walk saw them and the tree as it is known. */
import { compareText } from '../tree-store.ts';
import { type EntryRow, type FolderRow, joinPath } from '../tree-rows.ts';
import type { ChangedEntry, ChangedFolder, TreeChanges, TreeTotals } from '../../schema/tree.ts';
import { isAscii, toPathText } from './path-text.ts';
import { FILE, FOLDER, isInTree, kindOfCode, reasonOfCode } from './scan-entry.ts';
import { idAt, type StatCache, STATS } from './stat-cache.ts';

export type Difference = { changes: TreeChanges; added: number; changed: number; removed: number };

/** `known` returns a folder of the tree by its path. Only folders with another id are compared. */
export function diffTree(cache: StatCache, known: (path: string) => FolderRow | undefined): Difference {
  const root = cache.folders.get('')?.id ?? '';
  const base = known('')?.id ?? null;
  const difference: Difference = {
    changes: { base, root, totals: countTree(cache), folders: [] },
    added: 0,
    changed: 0,
    removed: 0,
  };
  if (root !== base) diffFolder(cache, known, { bytes: '', path: '' }, difference);
  return difference;
}

type FolderAt = { bytes: string; path: string };

function diffFolder(
  cache: StatCache,
  known: (path: string) => FolderRow | undefined,
  at: FolderAt,
  into: Difference,
): void {
  const folder = cache.folders.get(at.bytes);
  if (folder === undefined) return;
  const before = new Map((known(at.path)?.entries ?? []).map((entry) => [entry[0], entry]));
  const changed: ChangedFolder = { path: at.path, id: folder.id, put: [], drop: [] };
  into.changes.folders.push(changed);
  const names = folder.names.split('/');
  const isPlain = isAscii(folder.names) && !folder.names.includes('\\');
  for (let index = 0; index < folder.count; index += 1) {
    const code = cache.codes[folder.first + index] ?? FILE;
    if (!isInTree(code)) continue;
    const bytes = names[index] ?? '';
    const name = isPlain ? bytes : toPathText(bytes);
    const id = idAt(cache, folder.first + index);
    const prior = before.get(name);
    before.delete(name);
    const kind = kindOfCode(code);
    if (prior !== undefined && prior[1] === kind && prior[2] === id) continue;
    changed.put.push(toChange(cache, folder.first + index, { name, code, id, prior, bytes, at }));
    into[prior === undefined ? 'added' : 'changed'] += 1;
    if (code !== FOLDER) continue;
    diffFolder(cache, known, { bytes: joinPath(at.bytes, bytes), path: joinPath(at.path, name) }, into);
  }
  for (const [name, kind, id] of before.values()) changed.drop.push([name, kind, id]);
  into.removed += changed.drop.length;
  changed.put.sort(([a], [b]) => compareText(a, b));
}

type Put = { name: string; code: number; id: string; prior: EntryRow | undefined; bytes: string; at: FolderAt };

function toChange(cache: StatCache, index: number, { name, code, id, prior, bytes, at }: Put): ChangedEntry {
  const size = code === FOLDER ? folderSize(cache, joinPath(at.bytes, bytes)) : (cache.stats[index * STATS] ?? 0);
  const reason = reasonOfCode(code);
  const was = prior?.[2] ?? null;
  return reason === undefined
    ? [name, kindOfCode(code), id, size, was]
    : [name, kindOfCode(code), id, size, was, reason];
}

/** How many entries of a folder are in the tree. */
function folderSize(cache: StatCache, bytes: string): number {
  const folder = cache.folders.get(bytes);
  if (folder === undefined) return 0;
  return cache.codes.subarray(folder.first, folder.first + folder.count).filter(isInTree).length;
}

/** Counts of everything that is in the tree. */
function countTree(cache: StatCache): TreeTotals {
  const totals: TreeTotals = { files: 0, folders: cache.folders.size, bytes: 0, skipped: 0 };
  // A plain loop: an iterator over every file of a large tree takes longer than the comparison of what changed.
  for (let index = 0; index < cache.codes.length; index += 1) {
    const code = cache.codes[index] ?? FILE;
    if (code === FILE) {
      totals.files += 1;
      totals.bytes += cache.stats[index * STATS] ?? 0;
    } else if (isInTree(code) && reasonOfCode(code) !== undefined) totals.skipped += 1;
  }
  return totals;
}
