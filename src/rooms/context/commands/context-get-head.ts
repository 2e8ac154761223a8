import { viewPorts } from '../tree/tree-queries.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Frame } from '../../../core/schema/frame.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { findHistory, type TreeOptions, workspaceOf } from '../tree-access.ts';
import { renderFrame, shownPath } from '../tree-text.ts';

export async function run(call: Call<TreeOptions & { type: string | undefined }>): Promise<Answer<Frame>> {
  const name = onlyOperand(call, 'node');
  await requireHome(call.home);
  const { type = 'summary' } = call.options;
  const opened = await openTreeForReading(call);
  const { text } = viewPorts(call.home);
  return answer(
    await opened.read(workspaceOf(call.options), async (tree) => {
      const path = findHistory(tree, name);
      const head = tree.head(path, type);
      const content = head === null ? null : await text(head);
      if (head !== null && content !== null) return { ...head, path, content };
      const types = tree.heads(path).map((each) => each.type);
      throw new OkaError('refused', `${shownPath(path)} has no ${type} frame`, {
        fix: types.length === 0 ? 'It has no frames.' : `It has ${types.join(', ')}.`,
      });
    }),
  );
}

export const render = (frame: Frame, terminal: Terminal): string => renderFrame(frame, terminal);
