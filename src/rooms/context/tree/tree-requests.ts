/** What other processes may change in a context tree. */
import type { Intake } from '../../../core/schema/intake.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { OpenTree } from './open-tree.ts';

export type TreeIntake = Extract<Intake, { kind: 'record_scan' | 'put_frames' | 'restore_node' | 'compact_tree' }>;

export async function handleTreeRequest(tree: OpenTree, intake: TreeIntake): Promise<Json> {
  const { workspace } = intake;
  switch (intake.kind) {
    case 'record_scan':
      await tree.recordScan(workspace, intake.changes);
      return null;
    case 'put_frames':
      return tree.putStored(workspace, intake.frames);
    case 'restore_node':
      await tree.restore(workspace, intake.from, intake.to);
      return null;
    case 'compact_tree':
      return tree.compact(workspace, intake.before);
  }
}
