import { viewPorts } from '../tree/tree-queries.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { ContextView, type NodeContext } from '../../../core/schema/frame.ts';
import { composeNode } from '../model/compose-view.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { jsonOperand, onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { renderFrame, renderNode } from '../tree-text.ts';
import { type TreeOptions, workspaceOf } from '../tree-access.ts';

type Values = TreeOptions & { view: string | undefined; max: number | undefined };

export async function run(call: Call<Values>): Promise<Answer<NodeContext>> {
  const name = onlyOperand(call, 'node');
  await requireHome(call.home);
  const view = parseView(call.options);
  const opened = await openTreeForReading(call);
  const ports = viewPorts(call.home);
  return answer(
    await opened.read(workspaceOf(call.options), (tree) => composeNode(tree, tree.find(name), view, ports)),
  );
}

const ORDERINGS = ['recency', 'type', 'agent'];

/** A view is the name of an ordering, a question, or a view as JSON. */
function parseView({ view, max }: Values): ContextView {
  const result = ContextView.safeParse({ ...givenView(view), ...(max === undefined ? {} : { max_frames: max }) });
  if (result.success) return result.data;
  throw new OkaError('usage', `--view: ${result.error.issues[0]?.message ?? 'it is no view'}`, {
    fix: 'See oka schema context-view.',
  });
}

function givenView(view: string | undefined): object {
  if (view === undefined) return {};
  if (view.startsWith('{')) return jsonOperand(view, '--view') as object;
  if (ORDERINGS.includes(view)) return { ordering: { by: view } };
  return { ordering: { by: 'relevance', question: view } };
}

export function render({ node_record, frames, frame_count }: NodeContext, terminal: Terminal): string {
  const shown = frames.map((frame) => renderFrame(frame, terminal)).join('');
  const more = frame_count > frames.length ? `${frames.length} of ${frame_count} frames\n` : '';
  return `${renderNode(node_record, terminal)}${shown === '' ? 'No frames.\n' : shown}${more}`;
}
