/** Owns: what a scan changes in the rows: folders, and the places of frames whose nodes changed, moved or left. */
import type { Rows } from '../../../core/schema/rows.ts';
import type { ChangedFolder, NodeRecord, TreeChanges } from '../../../core/schema/tree.ts';
import { movePlace } from './move-place.ts';
import { refreshStale } from './stale-heads.ts';
import { readNode } from './tree-store.ts';
import { type EntryRow, type FolderRow, joinPath, type PlaceRow, treeKeys } from './tree-rows.ts';

export function applyChanges(rows: Rows, workspace: string, changes: TreeChanges, at: string): void {
  const hasPlaces = [...rows.each(treeKeys.places(workspace), { limit: 1 })].length > 0;
  const gone = hasPlaces ? goneNodes(rows, workspace, changes) : [];
  for (const folder of changes.folders) removeFolders(rows, workspace, folder);
  for (const folder of changes.folders)
    rows.put(treeKeys.folder(workspace, folder.path), nextFolder(rows, workspace, folder));
  if (!hasPlaces) return;
  settleGone(rows, workspace, gone, changes, at);
  for (const folder of changes.folders) refreshFolder(rows, workspace, folder);
}

/** Entries of the folder from now on, ordered by name. */
function nextFolder(rows: Rows, workspace: string, { path, id, put, drop }: ChangedFolder): FolderRow {
  const entries = put
    .map(
      ([name, kind, node, size, , reason]): EntryRow =>
        reason === undefined ? [name, kind, node, size] : [name, kind, node, size, reason],
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const known = rows.get<FolderRow>(treeKeys.folder(workspace, path))?.entries ?? [];
  if (known.length === 0) return { id, entries };
  const changed = new Set([...put.map(([name]) => name), ...drop.map(([name]) => name)]);
  const others = known.filter(([name]) => !changed.has(name));
  return { id, entries: mergeEntries(others, entries) };
}

/** Both are ordered by name. */
function mergeEntries(some: readonly EntryRow[], others: readonly EntryRow[]): EntryRow[] {
  const merged: EntryRow[] = [];
  let next = 0;
  for (const entry of some) {
    for (let other = others[next]; other !== undefined && other[0] < entry[0]; other = others[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(entry);
  }
  return [...merged, ...others.slice(next)];
}

/** The rows of folders that are gone, or are something else now. */
function removeFolders(rows: Rows, workspace: string, { path, put, drop }: ChangedFolder): void {
  const replaced = put.filter(([, kind, , , was]) => was !== null && kind !== 'folder').map(([name]) => name);
  const removed = drop.filter(([, kind]) => kind === 'folder').map(([name]) => name);
  for (const name of [...replaced, ...removed]) {
    const folder = joinPath(path, name);
    if (rows.get(treeKeys.folder(workspace, folder)) === undefined) continue;
    rows.put(treeKeys.folder(workspace, folder), null);
    for (const [key] of rows.each(`${treeKeys.folder(workspace, folder)}/`)) rows.put(key, null);
  }
}

type Gone = { path: string; node: NodeRecord };

/** Nodes with frames that are not where they were, as they were. */
function goneNodes(rows: Rows, workspace: string, { folders }: TreeChanges): Gone[] {
  const gone: Gone[] = [];
  for (const { path, put, drop } of folders) {
    const replaced = put.filter(([, kind, , , was]) => was !== null && kind !== 'folder').map(([name]) => name);
    for (const name of drop.map(([own]) => own)) collectPlaces(rows, workspace, joinPath(path, name), true, gone);
    for (const name of replaced) collectPlaces(rows, workspace, joinPath(path, name), false, gone);
  }
  return gone;
}

function collectPlaces(rows: Rows, workspace: string, path: string, withItself: boolean, into: Gone[]): void {
  const prefix = treeKeys.places(workspace);
  const add = (place: string, row: PlaceRow | undefined): void => {
    const node = row === undefined || row.left !== undefined ? null : readNode(rows, workspace, place);
    if (node !== null) into.push({ path: place, node });
  };
  if (withItself) add(path, rows.get<PlaceRow>(treeKeys.place(workspace, path)));
  for (const [key, row] of rows.each<PlaceRow>(`${prefix}${path}/`)) add(key.slice(prefix.length), row);
}

/** A node that is somewhere else now carries its frames along; the frames of others stay as the history of their path. */
function settleGone(rows: Rows, workspace: string, gone: readonly Gone[], changes: TreeChanges, at: string): void {
  if (gone.length === 0) return;
  const arrived = arrivedNodes(changes);
  for (const { path, node } of gone) {
    const targets = node.size === 0 ? [] : (arrived.get(`${node.kind} ${node.id}`) ?? []);
    const target = nearestPath(path, targets);
    if (target !== null) {
      targets.splice(targets.indexOf(target), 1);
      movePlace(rows, workspace, path, target);
      refreshStale(rows, workspace, target);
    } else leave(rows, workspace, { path, node }, at);
  }
}

function leave(rows: Rows, workspace: string, { path, node }: Gone, at: string): void {
  const place = rows.get<PlaceRow>(treeKeys.place(workspace, path));
  if (place === undefined) return;
  rows.put(treeKeys.place(workspace, path), { ...place, left: { at, node: node.id } });
  refreshStale(rows, workspace, path);
}

/** Paths that were not there before, by kind and content. */
function arrivedNodes({ folders }: TreeChanges): Map<string, string[]> {
  const arrived = new Map<string, string[]>();
  for (const { path, put } of folders)
    for (const [name, kind, id, , was] of put) {
      if (was !== null) continue;
      const key = `${kind} ${id}`;
      arrived.set(key, [...(arrived.get(key) ?? []), joinPath(path, name)]);
    }
  return arrived;
}

/** The path that has most of its last names in common; the first of several. */
function nearestPath(path: string, targets: readonly string[]): string | null {
  let [best, most] = [null as string | null, -1];
  for (const target of targets) {
    const common = commonNames(path, target);
    if (common > most) [best, most] = [target, common];
  }
  return best;
}

function commonNames(a: string, b: string): number {
  const [left, right] = [a.split('/').toReversed(), b.split('/').toReversed()];
  const different = left.findIndex((name, index) => name !== right[index]);
  return different === -1 ? left.length : different;
}

/** Heads of the folder and of what changed in it; a path that is there again goes on with its history. */
function refreshFolder(rows: Rows, workspace: string, { path, put }: ChangedFolder): void {
  for (const [name] of put) refreshPlace(rows, workspace, joinPath(path, name));
  refreshPlace(rows, workspace, path);
}

function refreshPlace(rows: Rows, workspace: string, path: string): void {
  const place = rows.get<PlaceRow>(treeKeys.place(workspace, path));
  if (place === undefined) return;
  if (place.left !== undefined) rows.put(treeKeys.place(workspace, path), { heads: place.heads });
  refreshStale(rows, workspace, path);
}
