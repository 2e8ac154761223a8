/** The filters of the list; they are in the address, so that a link shows the same. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../../../../kit/web/browser/html.ts';
import { route, setParams } from '../../../../kit/web/browser/router.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Given = Readonly<Record<string, string>>;

const FILTERS = ['text', 'status', 'kind', 'tag', 'schedule', 'since', 'until', 'min_cost', 'max_cost', 'archived'];
const STATUSES = [
  ['running,blocked,paused', t('not over')],
  ['running', t('running')],
  ['blocked', t('waiting')],
  ['paused', t('paused')],
  ['done', t('done')],
  ['failed', t('failed')],
  ['cancelled', t('cancelled')],
] as const;
const KINDS = [
  ['task', t('tasks')],
  ['schedule', t('schedules')],
  ['graph', t('graphs')],
  ['correction', t('corrections')],
  ['rerun', t('reruns')],
  ['install', t('installations')],
  ['child', t('inside others')],
] as const;

export const hasFilters = (params: Given): boolean => FILTERS.some((name) => (params[name] ?? '') !== '');

const TYPING_MS = 200;

export function Filters(): VNode {
  const { params } = route.value; // not those of the list, which is on its way while somebody types on
  const draft = useSignal<{ name: string; value: string } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      draft.value = null;
    },
    [],
  );
  const change = (name: string, value: string): void => setParams({ [name]: value === '' ? null : value });
  const finishTyping = (): void => {
    clearTimeout(timer.current);
    if (draft.value !== null) change(draft.value.name, draft.value.value);
    draft.value = null;
  };
  const typed = (name: string) => (event: Event) => {
    clearTimeout(timer.current);
    draft.value = { name, value: (event.target as HTMLInputElement).value };
    timer.current = setTimeout(finishTyping, TYPING_MS);
  };
  const typedIn = (name: string): string => (draft.value?.name === name ? draft.value.value : (params[name] ?? ''));
  const picked = (name: string) => (event: Event) => change(name, (event.target as HTMLSelectElement).value);
  const money = (name: string, word: string): VNode =>
    html`<label>${word} <input class="amount" type="number" min="0" step="0.01" inputmode="decimal" value=${typedIn(name)} onInput=${typed(name)} onBlur=${finishTyping} /></label>`;
  return html`<form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
    <input type="search" aria-label="Search runs" placeholder="Search ( / )" value=${typedIn('text')} onInput=${typed('text')} onBlur=${finishTyping} />
    <${Choice} label="Status" any=${t('any status')} options=${STATUSES} value=${params['status'] ?? ''} onChange=${picked('status')} />
    <${Choice} label="Kind" any=${t('any kind')} options=${KINDS} value=${params['kind'] ?? ''} onChange=${picked('kind')} />
    <details open=${['tag', 'since', 'until', 'min_cost', 'max_cost', 'archived'].some((name) => params[name] !== undefined)}>
      <summary>More filters</summary>
      <div class="row">
        <label>Tag <input type="text" value=${typedIn('tag')} onInput=${typed('tag')} onBlur=${finishTyping} /></label>
        <label>From <input type="date" value=${dayOf(params['since'], 0)} onChange=${(event: Event) => change('since', momentOf(event, 0))} /></label>
        <label>To <input type="date" value=${dayOf(params['until'], -1)} onChange=${(event: Event) => change('until', momentOf(event, 1))} /></label>
        ${money('min_cost', t('At least $'))}${money('max_cost', t('At most $'))}
        <label><input type="checkbox" checked=${params['archived'] === 'only'} onChange=${(event: Event) => change('archived', (event.target as HTMLInputElement).checked ? 'only' : '')} /> Archived</label>
      </div>
    </details>
    ${hasFilters(params) ? html`<button type="button" class="quiet" onClick=${() => setParams(Object.fromEntries(FILTERS.map((name) => [name, null])))}>Show all</button>` : null}
  </form>`;
}

type ChoiceProps = {
  label: string;
  any: string;
  options: readonly (readonly [string, string])[];
  value: string;
  onChange: (event: Event) => void;
};

function Choice({ label, any, options, value, onChange }: ChoiceProps): VNode {
  return html`<select aria-label=${label} value=${value} onChange=${onChange}>
    <option value="">${any}</option>
    ${options.map(([each, word]) => html`<option value=${each}>${word}</option>`)}
  </select>`;
}

const pad = (number: number): string => String(number).padStart(2, '0');

/** The day of a moment in the zone of the reader, so many days later. */
function dayOf(moment: string | undefined, days: number): string {
  if (moment === undefined || Number.isNaN(Date.parse(moment))) return '';
  const at = new Date(moment);
  at.setDate(at.getDate() + days);
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** The beginning of the day that was chosen, so many days later; empty when none was. */
function momentOf(event: Event, days: number): string {
  const { value } = event.target as HTMLInputElement;
  if (value === '') return '';
  const at = new Date(`${value}T00:00`);
  at.setDate(at.getDate() + days);
  return at.toISOString();
}
