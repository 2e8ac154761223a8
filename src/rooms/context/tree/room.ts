/** What the context tree of a home contributes: scans and frames of other processes are recorded, and rooms read them. */
import { configPort, defineRoom, type LateAnswer, port } from '../../../core/schema/room.ts';
import type { TreeConfig } from '../../../core/schema/tree.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import type { ContextTree } from '../tree-port.ts';
import type { TreeIntake } from './tree-requests.ts';

const { home, ledger, artifacts, agents, vault } = ports;

/** The context tree, for synthesis. */
export const treePort = port<ContextTree>('tree');

export const contextTree = defineRoom({
  name: 'rooms/context/tree',
  events: ['tree.scanned', 'tree.restored', 'tree.compacted', 'frame.put', 'frame.invalidated'],
  config: async () => ({ tree: (await import('../../../core/schema/tree.ts')).TreeConfig }),
  schemas: async () => {
    const [{ ContextView, NodeContext }, { NodeRecord }] = await Promise.all([
      import('../../../core/schema/frame.ts'),
      import('../../../core/schema/tree.ts'),
    ]);
    return { 'context-view': ContextView, 'node-context': NodeContext, 'tree-node': NodeRecord };
  },
  rebuild: async (at) => (await import('./tree-index.ts')).rebuildTree(at),
  needs: { home, ledger, artifacts, agents, vault, config: configPort<TreeConfig>('tree') },
  gives: { tree: treePort },
  open: async (needed) => {
    const [{ lazyTree }, { hasTree }, { listWorkspaces }] = await Promise.all([
      import('./lazy-tree.ts'),
      import('./tree-files.ts'),
      import('./workspaces.ts'),
    ]);
    const opened = lazyTree(
      listWorkspaces(needed.home, needed.config),
      () => hasTree(needed.home),
      async () => (await import('./open-tree.ts')).openContextTree({ ...needed, redact: needed.vault.redact }),
    );
    const handle = async (intake: TreeIntake): Promise<LateAnswer> => {
      const done = await (await import('./tree-requests.ts')).handleTreeRequest(opened, intake);
      return { answer: Promise.resolve(done) };
    };
    return {
      gives: { tree: opened },
      intakes: { record_scan: handle, put_frames: handle, restore_node: handle, compact_tree: handle },
      poll: opened.poll,
      close: opened.close,
    };
  },
});
