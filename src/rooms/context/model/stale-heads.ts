/** Owns: which heads are stale. A head is current while its basis is what it was made from. */
import type { Rows } from '../../../core/schema/rows.ts';
import { childFrames, readNode } from './tree-store.ts';
import { type FrameRow, type PlaceRow, treeKeys } from './tree-rows.ts';

/** Compares every head at a path with what it was made from. A node that has left the tree has no stale heads. */
export function refreshStale(rows: Rows, workspace: string, path: string): void {
  const place = rows.get<PlaceRow>(treeKeys.place(workspace, path));
  if (place === undefined) return;
  const node = place.left === undefined ? readNode(rows, workspace, path) : null;
  for (const [type, id] of place.heads) {
    const reason = node === null ? null : whyStale(rows, workspace, { path, id, node: node.id });
    const key = treeKeys.stale(workspace, path, type);
    if (reason !== (rows.get<string>(key) ?? null)) rows.put(key, reason);
  }
}

/** Null while the frame is current. */
function whyStale(rows: Rows, workspace: string, head: { path: string; id: string; node: string }): string | null {
  const invalid = rows.get<string>(treeKeys.invalid(workspace, head.path, head.id));
  if (invalid !== undefined) return `invalidated: ${invalid}`;
  const frame = rows.get<FrameRow>(treeKeys.frame(workspace, head.id));
  if (frame === undefined) return 'the frame is missing';
  if (frame.node !== head.node) return 'the content changed';
  if (frame.takes === undefined) return null;
  const now = childFrames(rows, workspace, head.path, frame.takes);
  const isSame = now.length === frame.inputs.length && now.every((each, index) => each.frame === frame.inputs[index]);
  return isSame ? null : 'the frames it was made from changed';
}
