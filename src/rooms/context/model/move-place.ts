/** Owns: giving the frames of one path to another one, with its heads. */
import type { Rows } from '../../../core/schema/rows.ts';
import { type AttachedRow, type FrameRow, type PlaceRow, treeKeys } from './tree-rows.ts';

/** Where the other path has frames of its own, the frames of both are its history, in the order they were added. */
export function movePlace(rows: Rows, workspace: string, from: string, to: string): void {
  const place = rows.get<PlaceRow>(treeKeys.place(workspace, from));
  if (place === undefined || from === to) return;
  moveRows(rows, treeKeys.attachedTo(workspace, from), treeKeys.attachedTo(workspace, to));
  moveRows(rows, treeKeys.invalid(workspace, from, ''), treeKeys.invalid(workspace, to, ''));
  for (const [type] of place.heads) rows.put(treeKeys.stale(workspace, from, type), null);
  rows.put(treeKeys.place(workspace, from), null);
  rows.put(treeKeys.place(workspace, to), { heads: latestHeads(rows, workspace, to) });
}

function moveRows(rows: Rows, from: string, to: string): void {
  for (const [key, value] of rows.each(from)) {
    rows.put(key, null);
    rows.put(to + key.slice(from.length), value);
  }
}

/** The latest frame of each type that was added to a path, ordered by type. */
export function latestHeads(rows: Rows, workspace: string, path: string): PlaceRow['heads'] {
  const heads = new Map<string, string>();
  for (const [, { id }] of rows.each<AttachedRow>(treeKeys.attachedTo(workspace, path))) {
    const type = rows.get<FrameRow>(treeKeys.frame(workspace, id))?.type;
    if (type !== undefined) heads.set(type, id);
  }
  return [...heads].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
