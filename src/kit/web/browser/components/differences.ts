/** A file before and after a run, as the lines that differ. */
import type { VNode } from 'preact';
import { html } from '../html.ts';
import { t } from '../words.ts';
import { formatBytes } from './format-figures.ts';

type Side = { text: string | null; bytes: number | null; is_shortened: boolean } | null;
export type Diff = {
  before: Side;
  after: Side;
  hunks: { old_start: number; new_start: number; lines: string[] }[] | null;
};

export function Differences({ diff: { before, after, hunks } }: { diff: Diff }): VNode {
  if (hunks === null) {
    const shown = after ?? before;
    return shown?.text === null || shown === null
      ? html`<p class="soft">It is not a text.${shown?.bytes === null || shown === null ? '' : ` ${formatBytes(shown.bytes)}`}</p>`
      : html`<p class="soft">The two are too different to compare. Afterwards:</p><pre>${shown.text}</pre>`;
  }
  return html`<div class="diff" role="group" aria-label="Differences">${hunks.map(
    ({ old_start: old, new_start: now, lines }, index) =>
      html`<pre key=${index}><span class="soft">${`@@ ${t('line {} → {}', old, now)}\n`}</span>${lines.map((line, at) => html`<span key=${at} class=${line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>${`${line}\n`}</span>`)}</pre>`,
  )}${(before?.is_shortened === true || after?.is_shortened === true) && html`<p class="soft">Only the beginning of the file was compared.</p>`}</div>`;
}
