/**
 * When the names in a folder are known without reading them. A folder gets another mtime whenever a name is added, removed
 * or replaced, on the file systems below; on others, and on whatever is mounted below the root, names are always read.
 */
import { type Stats, statfsSync, statSync } from 'node:fs';
import { errnoOf } from '../../../core/schema/errors.ts';

/** Mtime, ctime, inode. */
export type FolderTimes = [mtime: number, ctime: number, inode: number];

/** As statfs(2) numbers them: ext2 to ext4, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS, bcachefs. */
const RELIABLE = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]);

/** The device of the root, when its file system is a reliable one. */
export function reliableDevice(root: string): number | null {
  try {
    return process.platform === 'linux' && RELIABLE.has(statfsSync(root).type) ? statSync(root).dev : null;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}

/** Null when the folder could change once more without a difference. */
export const folderTimes = ({ mtimeMs, ctimeMs, ino }: Stats, settledBefore: number): FolderTimes | null =>
  Math.max(mtimeMs, ctimeMs) < settledBefore ? [mtimeMs, ctimeMs, ino] : null;

export const isSameFolder = (times: FolderTimes | null, { dev, mtimeMs, ctimeMs, ino }: Stats, device: number | null) =>
  times !== null && dev === device && times[0] === mtimeMs && times[1] === ctimeMs && times[2] === ino;
