/** One line of what is known: its evidence on demand, and what a person can do with it. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get, submit } from '../../../../kit/web/browser/api.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { FactAnswer, FactLine } from '../memory-answers.ts';
import { StatementDialog } from './statement-dialog.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

export function FactRow({ fact }: { fact: FactLine }): VNode {
  const isStruck = useSignal(false);
  const isEditing = useSignal(false);
  const detail = useSignal<FactAnswer | null>(null);
  const row = useRef<HTMLLIElement>(null);
  const { id, text, source, since, expires, superseded_by: by, more } = fact;
  const strike = async (): Promise<void> => {
    isStruck.value = true;
    isStruck.value = await attempt(() => forget(id));
  };
  useEffect(() => {
    if (row.current === null) return undefined;
    const watch = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting !== true) return;
      watch.disconnect();
      void attempt(async () => (detail.value = await get<FactAnswer>('fact', { fact: id })));
    });
    watch.observe(row.current);
    return () => watch.disconnect();
  }, [id]);
  const [last, ...earlier] = detail.value?.origins ?? [];
  return html`<li ref=${row} class=${isStruck.value ? 'fact struck' : 'fact'}>
    <div>
      <p class="fact-text">${text}</p>
      <p class="why soft"><small>${
        last === undefined
          ? html`From ${SOURCES[source]}, <${Time} at=${since} />.`
          : html`oka knows this because <${OriginWords} origin=${last} />.`
      }${expires === null ? '' : html` It counts until <${Time} at=${expires} />.`}${by === null ? '' : html` Replaced by <code>${by}</code>.`}</small></p>
      ${
        more === 0 && detail.value?.original == null
          ? null
          : html`<details><summary class="soft"><small>${more === 0 ? t('First wording') : countOf(more, 'more reason')}</small></summary>
            <ul>${earlier.map((origin) => html`<li><small><${OriginWords} origin=${origin} /></small></li>`)}
              ${detail.value?.original == null ? null : html`<li><small>First worded: “${detail.value.original}”</small></li>`}</ul></details>`
      }
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
  person: t('you'),
  task: t('a task'),
  run: t('a run'),
  tool: t('a tool'),
  import: t('an import'),
};

/** What happened, with the way to its event and to the task that it happened in. */
function OriginWords({ origin: { text, at, run, seq } }: { origin: FactAnswer['origins'][number] }): VNode {
  return html`${seq === null ? text : html`<a href=${addressOf(`/ledger?pen=run&seq=${seq}`)}>${text}</a>`}${at === null ? null : html`, <${Time} at=${at} />`}${run === null ? null : html` (<a href=${addressOf(`/runs/${run}`)}>the task</a>)`}`;
}

/** The same as removing the line from its page. */
async function forget(id: string): Promise<void> {
  const { worker } = await submit({ kind: 'forget', facts: [id], why: 'deleted' });
  notice(worker ? t('Forgotten.') : t('It is forgotten once a worker runs. Start it: oka up'));
}
