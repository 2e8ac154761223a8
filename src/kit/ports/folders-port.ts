/** The folders outside the desk that a run may use. */
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { Outcome, ToolCall } from '../../core/schema/tool.ts';

export type FolderGrants = {
  /** The folders that are open to a call. */
  forCall: (call: Pick<ToolCall, 'run' | 'author'>) => Promise<readonly OpenFolder[]>;
  /** The folders for the plan of a task; or why it cannot be planned: something is missing, or a person has to be asked. */
  forPlan: (run: string) => Promise<{ folders: OpenFolder[] } | { outcome: Outcome }>;
};
