/** Owns: what is different between the files as a walk saw them and the tree as it is known. */
import { compareText } from '../model/tree-store.ts';
import { type EntryRow, type FolderRow, joinPath } from '../model/tree-rows.ts';
import type {
  ChangedEntry,
  ChangedFolder,
  NodeID,
  TreeChanges,
  TreeKind,
  TreeTotals,
} from '../../../core/schema/tree.ts';
import { isAscii, toPathText } from './path-text.ts';
import { FILE, FOLDER, isInTree, kindOfCode, reasonOfCode } from './scan-entry.ts';
import { type CachedFolder, emptyCache, idAt, isSameEntry, namesOf, type StatCache, STATS } from './stat-cache.ts';

export type Difference = { changes: TreeChanges; added: number; changed: number; removed: number };
type KnownFolder = (path: string) => FolderRow | undefined;

/**
 * `known` returns a folder of the tree by its path. Only folders with another id are compared: with the cache of the walk
 * before where that is about the same tree and has the same names, else with what is known.
 */
export function diffTree(before: StatCache, now: StatCache, known: KnownFolder): Difference {
  const root = now.folders.get('')?.id ?? '';
  const base = known('')?.id ?? null;
  const difference: Difference = {
    changes: { base, root, totals: countTree(now), folders: [] },
    added: 0,
    changed: 0,
    removed: 0,
  };
  const isSameTree = before.folders.get('')?.id === base;
  const comparison = { now, known, before: isSameTree ? before : emptyCache(), into: difference };
  if (root !== base) diffFolder(comparison, { bytes: '', path: '' });
  return difference;
}

type Comparison = { now: StatCache; before: StatCache; known: KnownFolder; into: Difference };
type FolderAt = { bytes: string; path: string };
/** What was at a place before: its kind and id. */
type Prior = { kind: TreeKind; id: NodeID };

function diffFolder(comparison: Comparison, at: FolderAt): void {
  const { now, before, known, into } = comparison;
  const folder = now.folders.get(at.bytes);
  if (folder === undefined) return;
  const changed: ChangedFolder = { path: at.path, id: folder.id, put: [], drop: [] };
  into.changes.folders.push(changed);
  const cached = before.folders.get(at.bytes);
  if (cached?.names === folder.names) diffAligned(comparison, at, [folder, cached], changed);
  else diffWithRow(comparison, at, folder, changed, known(at.path)?.entries ?? []);
  into.removed += changed.drop.length;
  changed.put.sort(([a], [b]) => compareText(a, b));
}

/** Compares entry by entry, as bytes: most entries of a folder that has changed are as they were. */
function diffAligned(
  comparison: Comparison,
  at: FolderAt,
  [folder, cached]: readonly [CachedFolder, CachedFolder],
  changed: ChangedFolder,
): void {
  const { now, before } = comparison;
  const indexes = Array.from({ length: folder.count }, (_, index) => index).filter(
    (index) => !isSameEntry(now, folder.first + index, before, cached.first + index),
  );
  if (indexes.length === 0) return;
  const names = namesOf(folder);
  for (const index of indexes) {
    const bytes = names[index] ?? '';
    const code = before.codes[cached.first + index] ?? FILE;
    const prior = isInTree(code) ? { kind: kindOfCode(code), id: idAt(before, cached.first + index) } : undefined;
    if (isInTree(now.codes[folder.first + index] ?? FILE))
      putChange(comparison, at, changed, { index: folder.first + index, bytes, name: toPathText(bytes), prior });
    else if (prior !== undefined) changed.drop.push([toPathText(bytes), prior.kind, prior.id]);
  }
}

function diffWithRow(
  comparison: Comparison,
  at: FolderAt,
  folder: CachedFolder,
  changed: ChangedFolder,
  entries: readonly EntryRow[],
): void {
  const { now } = comparison;
  const before = new Map(entries.map((entry) => [entry[0], entry]));
  const isPlain = isAscii(folder.names) && !folder.names.includes('\\');
  for (const [index, bytes] of namesOf(folder).entries()) {
    const code = now.codes[folder.first + index] ?? FILE;
    if (!isInTree(code)) continue;
    const name = isPlain ? bytes : toPathText(bytes);
    const row = before.get(name);
    const prior = row === undefined ? undefined : { kind: row[1], id: row[2] };
    if (row !== undefined) before.delete(name);
    if (prior?.kind === kindOfCode(code) && prior.id === idAt(now, folder.first + index)) continue;
    putChange(comparison, at, changed, { index: folder.first + index, bytes, name, prior });
  }
  for (const [name, kind, id] of before.values()) changed.drop.push([name, kind, id]);
}

type Put = { index: number; bytes: string; name: string; prior: Prior | undefined };

function putChange(comparison: Comparison, at: FolderAt, changed: ChangedFolder, put: Put): void {
  const { now, into } = comparison;
  const { index, bytes, name, prior } = put;
  const code = now.codes[index] ?? FILE;
  const below = code === FOLDER ? { bytes: joinPath(at.bytes, bytes), path: joinPath(at.path, name) } : null;
  const size = below === null ? (now.stats[index * STATS] ?? 0) : folderSize(now, below.bytes);
  const reason = reasonOfCode(code);
  const entry: ChangedEntry = [name, kindOfCode(code), idAt(now, index), size, prior?.id ?? null];
  if (reason !== undefined) entry[5] = reason;
  changed.put.push(entry);
  into[prior === undefined ? 'added' : 'changed'] += 1;
  if (below !== null) diffFolder(comparison, below);
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
