import { showNode, type ShownChild, type ShownNode, viewPorts } from '../tree/tree-queries.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { renderFrame, renderNode } from '../tree-text.ts';
import { type TreeOptions, workspaceOf } from '../tree-access.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';

export async function run(call: Call<TreeOptions>): Promise<Answer<ShownNode>> {
  const [name = '.', ...others] = call.operands;
  if (others.length > 0) throw new OkaError('usage', 'name one path');
  await requireHome(call.home);
  const opened = await openTreeForReading(call);
  const ports = viewPorts(call.home);
  return answer(await opened.read(workspaceOf(call.options), (tree) => showNode(tree, tree.find(name), ports)));
}

export function render({ node, children, heads, frame_count }: ShownNode, terminal: Terminal): string {
  const history = frame_count > heads.length ? `${frame_count} frames in all: oka context list-frames\n` : '';
  const texts = heads.map((frame) => renderFrame(frame, terminal)).join('');
  return `${renderNode(node, terminal)}${texts}${history}${children.map((child) => renderChild(child, terminal)).join('')}`;
}

function renderChild({ path, kind, reason, heads, stale_below }: ShownChild, { dim }: Terminal): string {
  const name =
    plainText(path.slice(path.lastIndexOf('/') + 1)) + (kind === 'folder' ? '/' : kind === 'link' ? '@' : '');
  const types = heads.map(({ type, stale }) => (stale === undefined ? type : `${type} (stale)`));
  const below = stale_below === 0 ? [] : [`${stale_below} stale below`];
  const notes = [...(reason === undefined ? [] : [reason]), ...types, ...below].join(', ');
  return notes === '' ? `  ${name}\n` : `  ${name}  ${dim(notes)}\n`;
}
