/** Owns: removing old history from the rows: nodes that left the tree, and frames that were replaced, before a moment. */
import type { Rows } from '../../../core/schema/rows.ts';
import { countFrames } from './frame-count.ts';
import { type AttachedRow, type FrameRow, headOf, type PlaceRow, treeKeys } from './tree-rows.ts';

type OldHistory = {
  /** Paths whose nodes left the tree before the moment. */
  nodes: string[];
  /** Keys of the rows that attach old frames to paths. */
  attached: { key: string; id: string }[];
};

export function compactHistory(rows: Rows, workspace: string, before: string): void {
  const { nodes, attached } = oldHistory(rows, workspace, before);
  for (const { key } of attached) rows.put(key, null);
  countFrames(rows, workspace, -attached.length);
  for (const path of nodes) removePlace(rows, workspace, path);
  removeUnused(rows, workspace, new Set(attached.map(({ id }) => id)));
}

/** What compacting would remove. */
export function oldHistory(rows: Rows, workspace: string, before: string): OldHistory {
  const old: OldHistory = { nodes: [], attached: [] };
  const prefix = treeKeys.places(workspace);
  for (const [placeKey, place] of rows.each<PlaceRow>(prefix)) {
    const path = placeKey.slice(prefix.length);
    const hasLeft = place.left !== undefined && place.left.at < before;
    if (hasLeft) old.nodes.push(path);
    const rest = [...rows.each<AttachedRow>(treeKeys.attachedTo(workspace, path))];
    for (const [index, [key, { id, at }]] of rest.entries()) {
      const isLast = !rest.slice(index + 1).some(([, later]) => later.id === id);
      const type = rows.get<FrameRow>(treeKeys.frame(workspace, id))?.type ?? '';
      const isHead = isLast && headOf(place, type) === id;
      if (hasLeft || (at < before && !isHead)) old.attached.push({ key, id });
    }
  }
  return old;
}

function removePlace(rows: Rows, workspace: string, path: string): void {
  for (const [type] of rows.get<PlaceRow>(treeKeys.place(workspace, path))?.heads ?? [])
    rows.put(treeKeys.stale(workspace, path, type), null);
  for (const [key] of rows.each(treeKeys.invalid(workspace, path, ''))) rows.put(key, null);
  rows.put(treeKeys.place(workspace, path), null);
}

/** A frame that is attached to no path any more leaves the rows. */
function removeUnused(rows: Rows, workspace: string, ids: ReadonlySet<string>): void {
  if (ids.size === 0) return;
  const used = new Set<string>();
  for (const [, { id }] of rows.each<AttachedRow>(treeKeys.allAttached(workspace))) used.add(id);
  for (const id of ids) {
    const frame = used.has(id) ? undefined : rows.get<FrameRow>(treeKeys.frame(workspace, id));
    if (frame === undefined) continue;
    rows.put(treeKeys.frame(workspace, id), null);
    const others = (rows.get<string[]>(treeKeys.basis(workspace, frame.basis)) ?? []).filter((each) => each !== id);
    rows.put(treeKeys.basis(workspace, frame.basis), others.length === 0 ? null : others);
  }
}
