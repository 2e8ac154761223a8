/** Undoing what a run changed, shown before it is done; and what became of a request of the worker. */
import type { VNode } from 'preact';
import { submit, type Submitted } from '../api.ts';
import { html } from '../html.ts';
import { askConfirmation } from './modal.ts';
import { notice } from './notices.ts';
import { t } from '../words.ts';

type Undo = {
  restored: string[];
  removed: string[];
  overlaps: { path: string; why: string }[];
  notRestorable: { path: string; why: string }[];
};

/** The worker says what it would do before anything is done. */
export async function undoRun({ run }: { run: string }): Promise<void> {
  const asked = await submit({ kind: 'undo', run, dry_run: true });
  if (asked.done === undefined) {
    notice(asked.worker ? t('The worker is busy on the desk; try again when its command has ended.') : NO_WORKER);
    return;
  }
  const { restored, removed, overlaps, notRestorable } = asked.done as Undo;
  const list = (title: string, lines: readonly string[]): VNode | null =>
    lines.length === 0
      ? null
      : html`<h3>${title}</h3><ul>${lines.slice(0, 200).map((line) => html`<li key=${line}><code>${line}</code></li>`)}</ul>`;
  const left = [...overlaps, ...notRestorable].map(({ path, why }) => `${path}: ${why}`);
  const isSure = await askConfirmation({
    title: t('Undo what this run changed?'),
    content: html`<div>${list(t('Restored as they were'), restored)}${list(t('Removed'), removed)}${list(t('Left as they are'), left)}</div>`,
    yes: t('Undo it'),
    isDangerous: true,
  });
  if (isSure) report(await submit({ kind: 'undo', run }), t('It was undone.'));
}

export const NO_WORKER = t('No worker is running; it is done when one starts: oka up');

export function report({ done, worker }: Submitted, text: string, requested = t('The worker has the request.')): void {
  if (done !== undefined) notice(text);
  else notice(worker ? requested : NO_WORKER);
}
