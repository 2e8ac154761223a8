/** One line of what is known: its evidence on demand, and what a person can do with it. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { get, submit } from '../../../../kit/web/browser/api.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { FactAnswer, FactLine } from '../memory-answers.ts';
import { StatementDialog } from './statement-dialog.ts';

export function FactRow({ fact }: { fact: FactLine }): VNode {
  const isStruck = useSignal(false);
  const isEditing = useSignal(false);
  const detail = useSignal<FactAnswer | null>(null);
  const { id, text, source, since, expires, superseded_by: by, evidence, more } = fact;
  const strike = async (): Promise<void> => {
    isStruck.value = true;
    isStruck.value = await attempt(() => forget(id));
  };
  const open = (event: Event): void => {
    if ((event.target as HTMLDetailsElement).open)
      void attempt(async () => (detail.value = await get<FactAnswer>('fact', { fact: id })));
  };
  return html`<li class=${isStruck.value ? 'fact struck' : 'fact'}>
    <div>
      <p class="fact-text">${text}</p>
      <details onToggle=${open}>
        <summary class="soft"><small>from ${SOURCES[source]}, since <${Time} at=${since} />${expires === null ? '' : html`, until <${Time} at=${expires} />`}${more === 0 ? '' : `, ${more + 1} events`}</small></summary>
        ${evidence === null ? null : html`<${Evidence} detail=${detail.value} />`}
        ${by === null ? null : html`<p><small>Replaced by <code>${by}</code>.</small></p>`}
      </details>
    </div>
    ${
      start.rights === 'all' && by === null
        ? html`<div class="row no-print">
          <button type="button" class="quiet" onClick=${() => (isEditing.value = true)}>Change<span class="hidden"> “${text}”</span></button>
          <button type="button" class="quiet" disabled=${isStruck.value} onClick=${strike}>Forget<span class="hidden"> “${text}”</span></button>
        </div>`
        : null
    }
    ${isEditing.value ? html`<${StatementDialog} replaces=${fact} topics=${[]} onClose=${() => (isEditing.value = false)} />` : null}
  </li>`;
}

const SOURCES: Readonly<Record<FactLine['source'], string>> = {
  person: 'you',
  task: 'a task',
  run: 'a run',
  tool: 'a tool',
  import: 'an import',
};

function Evidence({ detail }: { detail: FactAnswer | null }): VNode {
  if (detail === null) return html`<p><small>…</small></p>`;
  return html`<ul>
    ${detail.origins.map(
      ({ text, at, run, seq }) => html`<li><small>
        ${seq === null ? text : html`<a href=${addressOf(`/ledger?pen=run&seq=${seq}`)}>${text}</a>`}${at === null ? null : html`, <${Time} at=${at} />`}
        ${run === null ? null : html` · <a href=${addressOf(`/runs/${run}`)}>the task</a>`}
      </small></li>`,
    )}
    ${detail.original === null ? null : html`<li><small>First worded: “${detail.original}”</small></li>`}
  </ul>`;
}

/** The same as removing the line from its page. */
async function forget(id: string): Promise<void> {
  const { worker } = await submit({ kind: 'forget', facts: [id], why: 'deleted' });
  notice(worker ? 'Forgotten.' : 'It is forgotten once a worker runs. Start it: oka up');
}
