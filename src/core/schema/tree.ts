/** The context tree: one Merkle tree for each workspace. Nodes are identified by content, and found by path. */
import { z } from 'zod';
import { Id, Instant, Sha256 } from './names.ts';
import { ArtifactRef } from './tool.ts';

export const NodeID = Sha256.describe(
  'A node by its content: a file is the hash of its bytes, a folder the hash of the names, kinds and ids in it.',
);
export type NodeID = z.infer<typeof NodeID>;

/** The workspace that every home has: its folder `workspace/`. */
export const DEFAULT_WORKSPACE = 'workspace';

export const WorkspaceName = Id.describe('Name of the workspace: "workspace", or a key of tree.roots in config.json.');

export const TreePath = z
  .string()
  .max(16_384)
  .regex(/^(?!\/)(?!.*\/\/)(?!(.*\/)?\.\.?(\/|$))(?!.*\/$)/s, 'must be a path below the root, without . and ..')
  .describe('The path below the root, with slashes; empty for the root. A byte that is not UTF-8 is written as \\xNN.');
export type TreePath = z.infer<typeof TreePath>;

export const NodeKindOfTree = z
  .enum(['file', 'folder', 'link', 'skipped'])
  .describe('What it is. A link is its target and never followed; skipped: unreadable, too large or a device.');
export type TreeKind = z.infer<typeof NodeKindOfTree>;

export const NodeRecord = z
  .strictObject({
    id: NodeID,
    path: TreePath,
    kind: NodeKindOfTree,
    size: z.int().nonnegative().describe('Bytes of a file, characters of the target of a link, entries of a folder.'),
    reason: z.string().max(200).optional().describe('Why it was skipped.'),
  })
  .describe('A file or folder of a workspace, as the last scan found it.');
export type NodeRecord = z.infer<typeof NodeRecord>;

/** An entry of a folder in a list of changes: name, kind, id, size, and the id that it had before, if it was there. */
export const ChangedEntry = z.tuple([
  z.string(),
  NodeKindOfTree,
  NodeID,
  z.int().nonnegative(),
  NodeID.nullable(),
  z.string().optional().describe('Why it was skipped.'),
]);
export type ChangedEntry = z.infer<typeof ChangedEntry>;

export const ChangedFolder = z.strictObject({
  path: TreePath,
  id: NodeID.describe('What the folder is from now on.'),
  put: z.array(ChangedEntry).describe('Entries that are new or have changed.'),
  drop: z.array(z.tuple([z.string(), NodeKindOfTree, NodeID])).describe('Entries that are gone, as they were.'),
});
export type ChangedFolder = z.infer<typeof ChangedFolder>;

export const TreeTotals = z.strictObject({
  files: z.int().nonnegative().describe('Files in the tree.'),
  folders: z.int().nonnegative().describe('Folders in it, with the root.'),
  bytes: z.int().nonnegative().describe('Size of all files.'),
  skipped: z.int().nonnegative().describe('Entries that were recorded without being read.'),
});
export type TreeTotals = z.infer<typeof TreeTotals>;

export const TreeChanges = z
  .strictObject({
    base: NodeID.nullable().describe('The root that was known before; null at the first scan.'),
    root: NodeID.describe('The root from now on.'),
    totals: TreeTotals.describe('What there is in the whole tree from now on.'),
    folders: z.array(ChangedFolder).describe('Every folder that is new or has changed, in the order of their paths.'),
  })
  .describe('What a scan found to be different, stored as an artifact.');
export type TreeChanges = z.infer<typeof TreeChanges>;

export const TreeScanned = z
  .strictObject({
    workspace: WorkspaceName,
    root: NodeID.describe('The root from now on.'),
    base: NodeID.nullable().describe('The root before; null at the first scan.'),
    ...TreeTotals.shape,
    changes: ArtifactRef.describe('The folders that changed.'),
  })
  .describe('A workspace was scanned, and something in it had changed.');
export type TreeScanned = z.infer<typeof TreeScanned>;

/** The part of config.json that is about context trees. */
export const TreeConfig = z
  .strictObject({
    roots: z
      .record(Id, z.string().min(1).max(4096))
      .default({})
      .describe('Further workspaces by name: folders, absolute or relative to the home. Each has a tree of its own.'),
    max_file_mb: z.number().positive().max(100_000).default(64).describe('Larger files are recorded and not read.'),
    frame_types: z
      .array(z.string().regex(/^[a-z][a-z0-9_.-]{0,79}$/, 'must be a short name in lower case, such as summary'))
      .max(100)
      .default([])
      .describe('Types of frames besides summary, outline, note and those that agents declare.'),
    watch: z
      .enum(['off', 'mark', 'regenerate'])
      .default('off')
      .describe(
        'What the worker does about changed files. mark: frames about them become stale; regenerate: these are made again, too.',
      ),
    watch_seconds: z.number().min(1).max(86_400).default(10).describe('How often files are compared, at most.'),
    max_tokens: z
      .int()
      .nonnegative()
      .default(100_000)
      .describe('What models may cost in one synthesis or regeneration, in tokens.'),
    on_change: z
      .array(z.string().min(1).max(200))
      .max(20)
      .default([])
      .describe(
        'Graphs of workspace/graphs that run when watched files have changed; their input names the workspace and what is stale.',
      ),
  })
  .describe('Context trees: what the folders of a workspace contain, and what agents understood of it.');
export type TreeConfig = z.infer<typeof TreeConfig>;

export const TreeRestored = z
  .strictObject({
    workspace: WorkspaceName,
    from: TreePath.describe('A path that has left the tree.'),
    to: TreePath.describe('The path that gets its frames.'),
  })
  .describe('A person said where a node is that has left the tree; its frames are the history of that path now.');

export const TreeCompacted = z
  .strictObject({
    workspace: WorkspaceName,
    before: Instant.describe('What left the tree or was replaced before this moment is no longer listed.'),
    nodes: z.int().nonnegative().describe('Nodes that are no longer listed.'),
    frames: z.int().nonnegative().describe('Frames that are no longer listed.'),
  })
  .describe('Old history was removed from the index of a context tree. The ledger still has it.');
