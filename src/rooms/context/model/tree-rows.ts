/** The rows in which the context tree is stored: keys and shapes. A workspace is part of every key: nothing crosses. */
import type { FrameID, FrameOrigin } from '../../../core/schema/frame.ts';
import type { NodeID, TreeKind, TreeTotals } from '../../../core/schema/tree.ts';

export type SummaryRow = TreeTotals & { root: NodeID; scanned_at: string; seq: number };
/** Name, kind, id, size, and why it was skipped; ordered by name (code units). */
export type EntryRow = [name: string, kind: TreeKind, id: NodeID, size: number, reason?: string];
export type FolderRow = { id: NodeID; entries: EntryRow[] };
/** A path to which frames were added. `left` is when its node left the tree. */
export type PlaceRow = { heads: [type: string, frame: FrameID][]; left?: { at: string; node: NodeID } };
/** A frame that was added to a path. */
export type AttachedRow = { id: FrameID; at: string };
export type FrameRow = {
  node: NodeID;
  type: string;
  basis: string;
  agent: string;
  origin: FrameOrigin;
  model?: string;
  body: string;
  inputs: FrameID[];
  takes?: string;
};
export type RootRow = { root: NodeID; base: NodeID | null; at: string; changes: string };

const padded = (seq: number): string => String(seq).padStart(15, '0');

/** A path contains no double slash, so what follows one in a key is never part of a path. */
export const treeKeys = {
  summary: (workspace: string) => `tree/${workspace}`,
  folders: (workspace: string) => `tree.folder/${workspace}/`,
  folder: (workspace: string, path: string) => `tree.folder/${workspace}/${path}`,
  places: (workspace: string) => `tree.place/${workspace}/`,
  place: (workspace: string, path: string) => `tree.place/${workspace}/${path}`,
  allAttached: (workspace: string) => `tree.attached/${workspace}/`,
  attachedTo: (workspace: string, path: string) => `tree.attached/${workspace}/${path}//`,
  attached: (workspace: string, path: string, seq: number) => `tree.attached/${workspace}/${path}//${padded(seq)}`,
  frames: (workspace: string) => `tree.frame/${workspace}/`,
  frame: (workspace: string, id: FrameID) => `tree.frame/${workspace}/${id}`,
  allStale: (workspace: string) => `tree.stale/${workspace}/`,
  stale: (workspace: string, path: string, type: string) => `tree.stale/${workspace}/${path}//${type}`,
  invalid: (workspace: string, path: string, id: FrameID) => `tree.invalid/${workspace}/${path}//${id}`,
  bases: (workspace: string) => `tree.basis/${workspace}/`,
  basis: (workspace: string, basis: string) => `tree.basis/${workspace}/${basis}`,
  count: (workspace: string) => `tree.count/${workspace}`,
  roots: (workspace: string) => `tree.root/${workspace}/`,
  root: (workspace: string, seq: number) => `tree.root/${workspace}/${padded(seq)}`,
} as const;

/** The seq at the end of the key of an attached frame or of a root. */
export const seqOfKey = (key: string): number => Number(key.slice(-15));

/** The folder that a path is in; null for the root. */
export function parentPath(path: string): string | null {
  if (path === '') return null;
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Entries are ordered by name, so one is found by bisection. */
export function findEntry(entries: readonly EntryRow[], name: string): EntryRow | undefined {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.[0] ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.[0] === name ? entries[low] : undefined;
}

/** The latest frame of a type at a path. */
export const headOf = (place: PlaceRow | undefined, type: string): FrameID | undefined =>
  place?.heads.find(([own]) => own === type)?.[1];
