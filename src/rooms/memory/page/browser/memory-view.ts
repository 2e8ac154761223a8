/** What is known, by kind and topic, each with its evidence; a person adds, changes and strikes lines. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { countOf, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { setParams } from '../../../../kit/web/browser/router.ts';
import { start } from '../../../../kit/web/browser/start.ts';
import type { FactLine, MemoryAnswer } from '../memory-answers.ts';
import { FactRow } from './fact-row.ts';
import { MemoryTabs } from '../../../../kit/web/browser/components/memory-tabs.ts';
import { StatementDialog } from './statement-dialog.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export const isChangedBy = ({ type }: LedgerEvent): boolean => type.startsWith('fact.');

export const keys: readonly Key[] = [
  {
    key: 'n',
    does: t('Add something to remember'),
    run: () => document.querySelector<HTMLElement>('#add-fact')?.click(),
  },
];

const KINDS: Readonly<Record<FactLine['kind'], string>> = {
  standing: t('For every task'),
  preference: t('How you like it'),
  fact: t('Facts'),
  lesson: t('What went wrong before'),
  environment: t('This machine'),
  note: t('Seen in several tasks'),
};

export default function MemoryView({ data, params }: ViewProps<MemoryAnswer>): VNode {
  const isAdding = useSignal(false);
  const groups = [...Map.groupBy(data.facts, headingOf)];
  const many = Object.values(data.counts).reduce((sum, each) => sum + each, 0);
  return html`<${MemoryTabs} current="memory" />
    ${many === 0 ? null : html`<p class="soft">oka knows ${countOf(many, 'thing')} about you and your work, each with the reason why. Change a sentence that is wrong; what you have forgotten is gone everywhere.</p>`}
    <${Filters} data=${data} params=${params} onAdd=${() => (isAdding.value = true)} />
    ${data.facts.length === 0 ? html`<${Nothing} isFiltered=${Object.keys(params).length > 0} />` : null}
    ${groups.map(
      ([heading, facts]) => html`<section key=${heading}>
        <h2>${heading}</h2>
        <ul class="fact-list">${facts.map((fact) => html`<${FactRow} key=${fact.id} fact=${fact} />`)}</ul>
      </section>`,
    )}
    ${
      data.matching > data.facts.length
        ? html`<p class="soft">${formatCount(data.facts.length)} of ${formatCount(data.matching)} are shown. <button type="button" onClick=${() => setParams({ limit: Math.min(1000, data.facts.length + 200) })}>Show more</button></p>`
        : null
    }
    ${isAdding.value ? html`<${StatementDialog} topics=${data.topics} onClose=${() => (isAdding.value = false)} />` : null}`;
}

const headingOf = ({ kind, namespace, superseded_by: by }: FactLine): string => {
  const name = by === null ? KINDS[kind] : t('No longer valid');
  return kind === 'standing' || namespace === 'general' ? name : `${name}: ${namespace}`;
};

type FilterProps = { data: MemoryAnswer; params: Readonly<Record<string, string>>; onAdd: () => void };

function Filters({ data, params, onAdd }: FilterProps): VNode {
  const set = (name: string) => (event: Event) =>
    setParams({ [name]: (event.target as HTMLInputElement).value || null });
  return html`<div class="row apart filters no-print">
    <form class="row" role="search" onSubmit=${(event: SubmitEvent) => event.preventDefault()}>
      <input type="search" aria-label="Search what is known" placeholder="Search" value=${params['q'] ?? ''} onInput=${set('q')} />
      <select aria-label="Kind" value=${params['kind'] ?? ''} onChange=${set('kind')}>
        <option value="">Every kind</option>
        ${Object.entries(KINDS).map(([kind, title]) => html`<option value=${kind}>${title} (${data.counts[kind] ?? 0})</option>`)}
      </select>
      <select aria-label="Topic" value=${params['topic'] ?? ''} onChange=${set('topic')}>
        <option value="">Every topic</option>
        ${data.topics.map((topic) => html`<option value=${topic}>${topic}</option>`)}
      </select>
      <label><input type="checkbox" checked=${params['all'] === '1'} onChange=${(event: Event) => setParams({ all: (event.target as HTMLInputElement).checked ? '1' : null })} /> also what is no longer valid</label>
    </form>
    ${start.rights === 'all' ? html`<button id="add-fact" type="button" class="primary" onClick=${onAdd}>Remember…</button>` : null}
  </div>`;
}

function Nothing({ isFiltered }: { isFiltered: boolean }): VNode {
  return isFiltered
    ? html`<${Empty} title="Nothing like that is known"><p>Search for other words, or remove a filter.</p><//>`
    : html`<${Empty} title="Nothing is known yet"><p>oka learns from tasks, answers and corrections. You can also say what it should remember: “Remember…”.</p><//>`;
}
