/** Nodes and frames of a context tree as text. */
import type { Frame } from '../../core/schema/frame.ts';
import type { NodeRecord } from '../../core/schema/tree.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { bytes, count, plainLines, plainText } from '../../kit/cli/plain-text.ts';

export const shownPath = (path: string): string => (path === '' ? '.' : plainText(path));

export function renderNode({ path, kind, id, size, reason }: NodeRecord, { bold, dim }: Terminal): string {
  const amount = kind === 'folder' ? count(size, 'entry', 'entries') : bytes(size);
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${bold(shownPath(path))}  ${kind}${why}, ${amount}  ${dim(id.slice(0, 12))}\n`;
}

export function renderFrame(frame: Frame, { dim }: Terminal): string {
  const { path, type, agent, at, id, model, stale, content } = frame;
  const author = model === undefined ? agent : `${agent} with ${model}`;
  const mark = stale === undefined ? '' : `  stale: ${plainText(stale)}`;
  const head = `${type} of ${shownPath(path)}, ${plainText(author)}, ${at}, ${id.slice(0, 12)}${mark}`;
  const text = plainLines(content.trimEnd()).split('\n').join('\n  ');
  return `${dim(head)}\n  ${text}\n`;
}
