/** The context trees of a home, for commands that read and change nothing; no worker is needed. */
import { readFrameText } from '../daemon/context/tree/frame-text.ts';
import { idPathsIn, readableArtifacts, withTreeRows } from '../daemon/context/tree/tree-index.ts';
import { findWorkspace, listWorkspaces } from '../daemon/context/tree/workspaces.ts';
import { loadRoomsConfig } from '../daemon/room-config.ts';
import { TreeConfig } from '../schema/tree.ts';
import type { ContextTree } from '../tree/tree-port.ts';
import { readTree } from '../tree/tree-store.ts';
import type { Call } from './command-module.ts';

export type ReadableTree = Pick<ContextTree, 'workspaces' | 'read' | 'text'>;

export async function openTreeForReading({ home, rooms }: Pick<Call, 'home' | 'rooms'>): Promise<ReadableTree> {
  const { tree } = await loadRoomsConfig(home, rooms);
  const workspaces = listWorkspaces(home, TreeConfig.parse(tree));
  const artifacts = readableArtifacts(home);
  return {
    workspaces,
    read: (workspace, query) => {
      findWorkspace(workspaces, workspace);
      return withTreeRows(home, (rows) => query(readTree(rows, workspace, idPathsIn(home, workspace))));
    },
    text: (frame) => readFrameText(artifacts, frame.body),
  };
}
