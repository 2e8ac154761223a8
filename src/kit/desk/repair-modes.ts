/**
 * Owns: modes on the desk that would keep its owner out. A step may set any mode, but the next step, snapshots and undo must
 * still work: the desk itself stays open to its owner, and so does every folder as far as reading it needs that.
 */
import { chmodSync, fchmodSync, fstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import type { OpenFolder } from './open-folder.ts';

const ALL_OF_OWNER = 0o700;
const ENTER_AND_LIST = 0o500;
const ENTER_AND_WRITE = 0o300;
const MODE = 0o7777;

/** Returns the mode of the desk, which is `known`, the last one that was in order, if it had to be repaired. */
export function repairDeskMode(desk: string, known: number | null = null): number {
  const folder = realpathSync(desk);
  const mode = statSync(folder).mode & MODE;
  if (hasAll(mode, ALL_OF_OWNER)) return mode;
  const repaired = known ?? mode | ALL_OF_OWNER;
  chmodSync(folder, repaired);
  return repaired;
}

/** Opens a folder of ours to ourselves if its mode forbids to read it. Returns the mode it has then. Nothing stops root. */
export function repairFolderMode(path: Buffer, { mode, uid }: Stats): number {
  if (hasAll(mode, ENTER_AND_LIST) || uid === 0 || uid !== process.getuid?.()) return mode & MODE;
  chmodSync(path, (mode & MODE) | ALL_OF_OWNER);
  return (mode & MODE) | ALL_OF_OWNER;
}

/** Lets something be done in a folder of ours that is read-only; afterwards it is again. */
export function withWriteAccess<T>({ fd }: OpenFolder, act: () => T): T {
  const { mode, uid } = fstatSync(fd);
  if (hasAll(mode, ENTER_AND_WRITE) || uid !== process.getuid?.()) return act();
  fchmodSync(fd, (mode & MODE) | ALL_OF_OWNER);
  try {
    return act();
  } finally {
    fchmodSync(fd, mode & MODE);
  }
}

const hasAll = (mode: number, bits: number): boolean => (mode & bits) === bits;
