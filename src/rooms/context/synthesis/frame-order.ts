/** What the parts of synthesis give each other: an order for one frame, and what happened to it. */
import type { NodeRecord } from '../../../core/schema/tree.ts';
import type { ContextTree } from '../tree-port.ts';
import type { Recipe } from './frame-basis.ts';
import type { ChildFrame, Policies } from './synthesis-policies.ts';

/** A file as text, which is null for one that is too large to be read; null when its content is no longer that of the node. */
export type ReadSource = (workspace: string, node: NodeRecord) => Promise<{ text: string | null } | null>;

export type ModelTask =
  | { of: 'file'; path: string; type: string; text: string; wish: string | undefined }
  | {
      of: 'folder';
      path: string;
      type: string;
      /** Frames of children; those that have not changed since `before` was written are left out. */
      children: readonly ChildFrame[];
      /** Names of all children, which sentences may cite. */
      names: readonly string[];
      before: string | null;
      wish: string | undefined;
    };

type ModelText = { content: string; model: string; tokens: number };

/** Asks a model for the text of a frame. */
export type WriteFrame = {
  /** The words that every request begins with; part of the basis. */
  readonly prompt: string;
  write: (task: ModelTask, model: string | undefined) => Promise<ModelText | { failed: string; isFinal: boolean }>;
};

export type MakePorts = {
  tree: ContextTree;
  policies: Policies;
  readSource: ReadSource;
  redact: (text: string) => string;
  /** Frames that are being made, by id. */
  inFlight: Map<string, Promise<Made>>;
};

export type Order = {
  workspace: string;
  node: NodeRecord;
  type: string;
  agent: string;
  recipe: Recipe;
  isForced: boolean;
  model: string | undefined;
};

export type Made =
  | { kind: 'made' | 'unchanged'; frame: string; tokens: number; calls: number }
  | { kind: 'failed'; reason: string; isFinal: boolean };
