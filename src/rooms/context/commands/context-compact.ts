import { withTreeRows } from '../tree/tree-index.ts';
import { oldHistory } from '../model/compact-history.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { changeTree, type TreeOptions, workspaceOf } from '../tree-access.ts';

type Values = TreeOptions & { olderThan: { text: string; ms: number } | undefined; dryRun: boolean };
type Data = { nodes: number; frames: number; before: string; dry_run: boolean };

const DEFAULT_MS = 90 * 24 * 3600 * 1000;

export async function run(call: Call<Values>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const { olderThan, dryRun } = call.options;
  const workspace = workspaceOf(call.options);
  const before = new Date(Date.now() - (olderThan?.ms ?? DEFAULT_MS)).toISOString();
  const counts = dryRun
    ? await withTreeRows(call.home, (rows) => {
        const { nodes, attached } = oldHistory(rows, workspace, before);
        return { nodes: nodes.length, frames: attached.length };
      })
    : ((await changeTree(call, { kind: 'compact_tree', workspace, before })) as { nodes: number; frames: number });
  return answer({ ...counts, before, dry_run: dryRun });
}

export function render({ nodes, frames, dry_run }: Data): string {
  if (nodes === 0 && frames === 0) return 'Nothing is old enough.\n';
  const what = `${count(frames, 'frame')}, and ${count(nodes, 'path')} that had left the tree`;
  return dry_run
    ? `Would remove ${what}, from the index.\n`
    : `Removed ${what}, from the index; the ledger has them.\n`;
}
