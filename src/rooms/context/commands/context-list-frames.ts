import type { FrameRecord } from '../../../core/schema/frame.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { findHistory, type TreeOptions, workspaceOf } from '../tree-access.ts';
import { shownPath } from '../tree-text.ts';

type Data = { path: string; frames: FrameRecord[] };

export async function run(call: Call<TreeOptions & { type: string | undefined }>): Promise<Answer<Data>> {
  const name = onlyOperand(call, 'node');
  await requireHome(call.home);
  const { type } = call.options;
  const opened = await openTreeForReading(call);
  return answer(
    await opened.read(workspaceOf(call.options), (tree) => {
      const path = findHistory(tree, name);
      return { path, frames: tree.frames(path).filter((frame) => type === undefined || frame.type === type) };
    }),
  );
}

export function render({ path, frames }: Data, { dim }: Terminal): string {
  if (frames.length === 0) return `${shownPath(path)} has no frames.\n`;
  return frames
    .toReversed()
    .map(({ id, type, agent, at, is_head, stale }) => {
      const mark = stale === undefined ? (is_head ? 'current' : 'replaced') : `stale: ${plainText(stale)}`;
      return `${id.slice(0, 12)}  ${at}  ${type}  ${plainText(agent)}  ${dim(mark)}\n`;
    })
    .join('');
}
