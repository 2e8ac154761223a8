/** The context trees of a home, for commands that read and change nothing; no worker is needed. */
import { readFrameText } from './tree/frame-text.ts';
import { idPathsIn, readableArtifacts, withTreeRows } from './tree/tree-index.ts';
import { findWorkspace, listWorkspaces } from './tree/workspaces.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import { TreeConfig } from '../../core/schema/tree.ts';
import type { ContextTree } from './tree-port.ts';
import { readTree } from './model/tree-store.ts';
import type { Call } from '../../kit/cli/command-module.ts';

type ReadableTree = Pick<ContextTree, 'workspaces' | 'read' | 'text'>;

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
