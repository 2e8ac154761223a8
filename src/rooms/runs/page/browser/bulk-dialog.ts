/** An act on many runs: first the count and the list, then progress, then what went wrong. */
import { signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import type { BulkAct, BulkOutcome, BulkPreview } from '../../../../core/schema/bulk.ts';
import { type Params, post } from '../../../../kit/web/browser/api.ts';
import { Dialog } from '../../../../kit/web/browser/components/modal.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { askServer } from '../../../../kit/web/browser/session-key.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import { selected } from './chosen-runs.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Bulk = { act: BulkAct; runs: readonly string[]; filter: Params; onDone: () => void };

type State =
  | { step: 'shown' }
  | { step: 'working'; outcomes: readonly BulkOutcome[] }
  | { step: 'done'; outcomes: readonly BulkOutcome[]; isComplete: boolean };

const CHANGING = new Set<BulkAct>(['cancel', 'undo']);

export async function openBulk(bulk: Bulk): Promise<void> {
  const { act, runs, filter } = bulk;
  try {
    const chosen = runs.length > 0 ? { runs } : { filter };
    const preview = await post<BulkPreview>('runs-bulk-preview', { act, ...chosen });
    const place = document.createElement('div');
    document.body.append(place);
    const close = (): void => {
      render(null, place);
      place.remove();
      bulk.onDone();
    };
    render(
      html`<${BulkDialog} bulk=${bulk} preview=${preview} state=${signal<State>({ step: 'shown' })} onClose=${close} />`,
      place,
    );
  } catch (error) {
    noticeError(error);
  }
}

type DialogProps = { bulk: Bulk; preview: BulkPreview; state: { value: State }; onClose: () => void };

function BulkDialog({ bulk: { act }, preview, state, onClose }: DialogProps): VNode {
  const { count, runs, left_out: leftOut, complete } = preview;
  const now = state.value;
  const title = titleOf(act, count);
  const begin = (): void => void perform(preview, state);
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <div class="dialog-content bulk">
      ${now.step === 'shown' ? null : html`<${Progress} state=${now} count=${count} />`}
      ${count === 0 ? html`<p>There is no run that this can be done with.</p>` : html`<ul>${runs.map(({ run, title: about, status }) => html`<li key=${run} class="one-line"><a href=${addressOf(`/runs/${run}`)}>${about}</a> <span class="soft">${t(status)} ${run}</span></li>`)}</ul>`}
      ${leftOut.length === 0 ? null : html`<details><summary>${leftOut.length} left out</summary><ul>${leftOut.map(({ run, title: about, why }) => html`<li key=${run}>${about}: <span class="soft">${why}</span></li>`)}</ul></details>`}
      ${complete ? null : html`<p class="warning">There are more runs than can be done at once; these are the latest.</p>`}
    </div>
    ${now.step === 'shown' && count > 0 ? html`<footer><button type="button" class=${CHANGING.has(act) ? 'danger' : 'primary'} onClick=${begin}>${title}</button></footer>` : null}
  <//>`;
}

function titleOf(act: BulkAct, count: number): string {
  const isOne = count === 1;
  switch (act) {
    case 'cancel':
      return t(isOne ? 'Cancel 1 run' : 'Cancel {} runs', count);
    case 'pause':
      return t(isOne ? 'Pause 1 run' : 'Pause {} runs', count);
    case 'resume':
      return t(isOne ? 'Resume 1 run' : 'Resume {} runs', count);
    case 'again':
      return t(isOne ? 'Run 1 run again' : 'Run {} runs again', count);
    case 'undo':
      return t(isOne ? 'Undo 1 run' : 'Undo {} runs', count);
    case 'archive':
      return t(isOne ? 'Archive 1 run' : 'Archive {} runs', count);
    case 'unarchive':
      return t(isOne ? 'Unarchive 1 run' : 'Unarchive {} runs', count);
    case 'pin':
      return t(isOne ? 'Pin 1 run' : 'Pin {} runs', count);
    case 'unpin':
      return t(isOne ? 'Unpin 1 run' : 'Unpin {} runs', count);
  }
}

function Progress({ state, count }: { state: Exclude<State, { step: 'shown' }>; count: number }): VNode {
  const { outcomes } = state;
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  const queued = outcomes.filter(({ outcome }) => outcome === 'queued').length;
  const isBroken = state.step === 'done' && !state.isComplete;
  return html`<div role="status" aria-live="polite">
    <progress max=${count} value=${outcomes.length} aria-label="Progress"></progress>
    <p class="number">${outcomes.length - failed.length} of ${count} done${queued === 0 ? '' : t(', {} of them wait for the worker', queued)}${failed.length === 0 ? '' : t(', {} failed', failed.length)}</p>
    ${isBroken ? html`<p class="problem">The connection broke. What was confirmed is done nevertheless.</p>` : null}
    ${failed.length === 0 ? null : html`<ul class="failed">${failed.map(({ run, message, fix }) => html`<li key=${run}><strong>${run}</strong>: ${message} <span class="fix">${fix ?? ''}</span></li>`)}</ul>`}
  </div>`;
}

/** Sends exactly the list that was shown, and shows each outcome as it comes. */
async function perform({ act, runs, token }: BulkPreview, state: { value: State }): Promise<void> {
  const outcomes: BulkOutcome[] = [];
  state.value = { step: 'working', outcomes: [] };
  const body = JSON.stringify({ act, runs: runs.map(({ run }) => run), token });
  const headers = { 'Content-Type': 'application/json' };
  let isComplete = false;
  try {
    const response = await askServer('/api/v1/bulk', {
      method: 'POST',
      headers,
      body,
    });
    for await (const line of linesOf(response)) {
      const parsed = JSON.parse(line) as BulkOutcome | { error: { message: string } };
      if ('error' in parsed)
        outcomes.push({ run: runs[0]?.run ?? '', outcome: 'failed', message: parsed.error.message });
      else outcomes.push(parsed);
      state.value = { step: 'working', outcomes: [...outcomes] };
    }
    isComplete = true;
    selected.value = new Set();
  } catch {
    isComplete = false; // the dialog says so
  }
  state.value = { step: 'done', outcomes, isComplete };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    text += value ?? '';
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
    if (done) break;
  }
  if (text !== '') yield text;
}
