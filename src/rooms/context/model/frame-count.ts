import type { Rows } from '../../../core/schema/rows.ts';
import { treeKeys } from './tree-rows.ts';

/** How many frames were added to the paths of a workspace, less those that are no longer listed. */
export const frameCount = (rows: Rows, workspace: string): number =>
  rows.get<{ frames: number }>(treeKeys.count(workspace))?.frames ?? 0;

export function countFrames(rows: Rows, workspace: string, more: number): void {
  rows.put(treeKeys.count(workspace), { frames: frameCount(rows, workspace) + more });
}
