/**
 * Owns: where a node is, by its id: rows of paths by the first digits of the ids, so that one is found without reading the
 * tree. Does not own: the root, whose id everyone knows.
 */
import type { Rows } from '../schema/rows.ts';
import type { ChangedFolder } from '../schema/tree.ts';
import { type FolderRow, joinPath, treeKeys } from './tree-rows.ts';

/** So many digits select a row; a few dozen paths of a hundred thousand share one. */
const ROW_DIGITS = 3;
/** So many are stored: enough to tell almost all nodes apart, and whoever asks compares the rest. */
const STORED_DIGITS = 16;

type Change = { gone: Set<string>; added: string[] };
export type IndexChanges = Map<string, Change>;

const lineOf = (id: string, path: string): string => `${id.slice(0, STORED_DIGITS)} ${path}`;

function changeAt(changes: IndexChanges, id: string): Change {
  const digits = id.slice(0, ROW_DIGITS);
  const known = changes.get(digits);
  if (known !== undefined) return known;
  const change: Change = { gone: new Set(), added: [] };
  changes.set(digits, change);
  return change;
}

/** Notes what becomes of the entries of a folder that has changed. */
export function noteChanges(changes: IndexChanges, { path, put, drop }: ChangedFolder): void {
  for (const [name, , id, , was] of put) {
    const at = joinPath(path, name);
    if (was !== null) changeAt(changes, was).gone.add(lineOf(was, at));
    changeAt(changes, id).added.push(lineOf(id, at));
  }
  for (const [name, , id] of drop) changeAt(changes, id).gone.add(lineOf(id, joinPath(path, name)));
}

/** Notes that a folder is gone with everything in it. */
export function noteRemoved(changes: IndexChanges, path: string, { entries }: FolderRow): void {
  for (const [name, , id] of entries) changeAt(changes, id).gone.add(lineOf(id, joinPath(path, name)));
}

export function storeIndex(rows: Rows, workspace: string, changes: IndexChanges): void {
  for (const [digits, { gone, added }] of changes) {
    const key = treeKeys.paths(workspace, digits);
    const others = (rows.get<string[]>(key) ?? []).filter((line) => !gone.has(line));
    const lines = [...others, ...added];
    rows.put(key, lines.length === 0 ? null : lines);
  }
}

/** Paths of nodes whose ids begin like this, as far as ids are stored. */
export function pathsByStart(rows: Rows, workspace: string, start: string): string[] {
  const lines = rows.get<string[]>(treeKeys.paths(workspace, start.slice(0, ROW_DIGITS))) ?? [];
  const stored = start.slice(0, STORED_DIGITS);
  return lines.filter((line) => line.startsWith(stored)).map((line) => line.slice(STORED_DIGITS + 1));
}
