/** The status of a run or a step: a word with a mark, never a colour alone. */
import type { VNode } from 'preact';
import { html } from '../html.ts';

const MARKS: Readonly<Record<string, string>> = {
  done: '✓',
  failed: '✕',
  cancelled: '–',
  running: '●',
  blocked: '◆',
  paused: '‖',
  waiting: '◆',
  skipped: '–',
};

export function Status({ status }: { status: string }): VNode {
  return html`<span class=${`status ${status}`}><span aria-hidden="true">${MARKS[status] ?? '○'}</span> ${status}</span>`;
}
