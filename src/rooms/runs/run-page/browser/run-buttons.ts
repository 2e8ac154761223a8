/** What a person can do with a run. What changes something is shown before it is done. */
import type { VNode } from 'preact';
import { get, post, submit } from '../../../../kit/web/browser/api.ts';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { NO_WORKER, report, undoRun } from '../../../../kit/web/browser/components/undo-run.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import type { RunAnswer } from '../run-answer.ts';
import { t } from '../../../../kit/web/browser/words.ts';

const LABELS: Readonly<Record<RunAnswer['acts'][number], string>> = {
  note: t('Send a note'),
  pause: t('Pause'),
  resume: t('Resume'),
  cancel: t('Cancel'),
  undo: t('Undo'),
  correct: t('Correct'),
  again: t('Run again'),
  save_graph: t('Save as graph'),
};

export function RunButtons({ data, reload }: { data: RunAnswer; reload: () => void }): VNode {
  const act = async (name: RunAnswer['acts'][number]): Promise<void> => {
    await attempt(() => ACTS[name](data));
    reload();
  };
  return html`<div class="row no-print" role="group" aria-label="What can be done with this run">
    ${data.acts.map((name) => html`<button key=${name} type="button" class=${name === 'cancel' ? 'danger' : ''} onClick=${() => void act(name)}>${LABELS[name]}</button>`)}
    <button type="button" onClick=${() => print()}>Print</button>
  </div>`;
}

const ACTS: Readonly<Record<RunAnswer['acts'][number], (data: RunAnswer) => Promise<void>>> = {
  pause: async ({ run }) =>
    report(await submit({ kind: 'pause', run }), t('It is paused.'), t('It pauses after what is running now.')),
  resume: async ({ run }) => report(await submit({ kind: 'resume', run }), t('It goes on.')),
  cancel: async ({ run, title }) => {
    const isSure = await askConfirmation({
      title: t('Cancel this run?'),
      content: html`<p>${title}</p><p>What it has changed so far stays; you can undo it afterwards.</p>`,
      yes: t('Cancel the run'),
      no: t('Leave it running'),
      isDangerous: true,
    });
    if (isSure) report(await submit({ kind: 'cancel', run }), t('It was cancelled.'));
  },
  undo: undoRun,
  correct: async ({ run }) => {
    const text = await askText(
      t('What is wrong with the result?'),
      t('Correct it'),
      t('Such as: the totals are in the wrong currency'),
    );
    if (text === null) return;
    const { title } = await post<{ title: string }>('run-correct', { run, text });
    notice(t('Added: {}', title));
  },
  again: async ({ run }) => {
    const { title } = await post<{ title: string }>('run-again', { run });
    notice(t('Added again: {}', title));
  },
  note: sendNote,
  save_graph: async ({ graph_run: run, run: shown }) => {
    const name = await askText(
      t('What is the graph to be called?'),
      t('Save'),
      t('Letters, digits, dash'),
      `${shown}-graph`,
    );
    if (name === null) return;
    const { text } = await get<{ text: string }>('run-graph', { run });
    const graph = JSON.stringify({ ...(JSON.parse(text) as object), id: name }, null, 2);
    await submit({ kind: 'write_graph', graph: name, text: graph, replaces: null });
    notice(t('Saved as {}.', name));
    navigate('/graphs');
  },
};

/** The run goes on meanwhile; the worker reads the words at its next turn. */
async function sendNote({ run }: RunAnswer): Promise<void> {
  let isStop = false;
  const title = t('A note to the worker');
  let text = '';
  const isSure = await askConfirmation({
    title,
    content: html`<textarea rows="4" aria-label=${title} placeholder="Such as: also list the prices" onInput=${(event: Event) => (text = (event.target as HTMLTextAreaElement).value)}></textarea>
      <label><input type="checkbox" onChange=${(event: Event) => (isStop = (event.target as HTMLInputElement).checked)} /> Stop after this step</label>`,
    yes: t('Send'),
  });
  if (!isSure || (text.trim() === '' && !isStop)) return;
  const { done, worker } = await submit({
    kind: 'note',
    run,
    text: text.trim(),
    ...(isStop ? { stop_after_step: true as const } : {}),
  });
  const sent = done as { read_by: 'worker' | 'nobody' } | undefined;
  if (sent === undefined) notice(worker ? t('The worker has the request.') : NO_WORKER);
  else if (isStop) notice(t('It pauses when the step in progress has ended.'));
  else if (sent.read_by === 'worker') notice(t('The worker reads it at its next turn.'));
  else notice(t('It is in the ledger, but nobody reads it: the steps of this run are fixed.'));
}

/** Asks for a text; null when the person does not want to. */
async function askText(title: string, yes: string, hint: string, given = ''): Promise<string | null> {
  let text = given;
  const isSure = await askConfirmation({
    title,
    content: html`<textarea rows="4" aria-label=${title} placeholder=${hint} onInput=${(event: Event) => (text = (event.target as HTMLTextAreaElement).value)}>${given}</textarea>`,
    yes,
  });
  return isSure && text.trim() !== '' ? text.trim() : null;
}
