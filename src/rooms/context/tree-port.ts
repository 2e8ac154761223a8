/** The context tree of a home, as synthesis uses it in the process with the pen. `tree/` implements it. */
import type { FrameID, FrameRecord, NewFrame } from '../../core/schema/frame.ts';
import type { TreeTotals } from '../../core/schema/tree.ts';
import type { TreeReader } from './model/tree-store.ts';

export type Workspace = { readonly name: string; readonly folder: string };

export type ScanOptions = {
  /** Reads every file, also those that have not changed by their stat. */
  force?: boolean;
  signal?: AbortSignal;
  onProgress?: (files: number) => void;
};

export type ScanResult = TreeTotals & {
  root: string;
  /** The root before; null at the first scan. */
  base: string | null;
  added: number;
  changed: number;
  removed: number;
  /** How many files were read. */
  read: number;
};

/** `isNew` is false when the node had this frame as its current head already; then nothing was recorded. */
export type PutResult = { path: string; id: FrameID; isNew: boolean };

export type ContextTree = {
  readonly workspaces: readonly Workspace[];
  /** Lets `query` read rows that include everything this process has recorded. */
  read: <T>(workspace: string, query: (tree: TreeReader) => T | Promise<T>) => Promise<T>;
  /** The text of a frame; null when its artifact is lost. */
  text: (frame: Pick<FrameRecord, 'body'>) => Promise<string | null>;
  /** Adds frames, all of them in one batch of events, and moves the heads with them. Contents are redacted first. */
  put: (workspace: string, frames: readonly NewFrame[]) => Promise<PutResult[]>;
  /** Marks heads stale. */
  invalidate: (workspace: string, path: string, frames: readonly FrameID[], reason: string) => Promise<void>;
  /** Compares the files with the tree, and records what changed; does not block the process. */
  scan: (workspace: string, options?: ScanOptions) => Promise<ScanResult>;
};
