/** The page Ledger: events with filters in the address, one opened as it is stored, and the check of the chain. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { z } from 'zod';
import { queryString } from '../../../../kit/web/browser/api.ts';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { formatBytes, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { Problem } from '../../../../kit/web/browser/components/problem-box.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { useQuery } from '../../../../kit/web/browser/query-data.ts';
import { navigate, route } from '../../../../kit/web/browser/router.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { LedgerAnswer, LedgerEventAnswer } from '../ledger-answers.ts';
import { ChainPanel } from './chain-panel.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Answer = z.infer<typeof LedgerAnswer>;
type Params = Readonly<Record<string, string>>;

/** Only the newest page changes by itself; whoever reads an older one is left alone. */
export const isChangedBy = ({ pen }: LedgerEvent, params: Params): boolean =>
  pen === (params['pen'] ?? 'run') && params['before'] === undefined && params['seq'] === undefined;

export const keys = [
  { key: 'j', does: t('The next event'), run: () => step(1) },
  { key: 'k', does: t('The event before it'), run: () => step(-1) },
  {
    key: 'n',
    does: t('The newest events'),
    run: () => navigate(hrefWith(route.value.params, { before: null, seq: null })),
  },
];

export default function LedgerView({ data, params }: ViewProps<Answer>): VNode {
  const { pen, events, next } = data;
  const isOlder = params['before'] !== undefined || params['seq'] !== undefined;
  return html`<h1>Ledger</h1>
    <${Filters} data=${data} params=${params} />
    <${ChainPanel} pen=${pen} />
    ${
      events.length === 0
        ? html`<${Empty} title=${hasFilter(params) ? t('No event fits these filters.') : t('Nothing has happened yet.')}>
            <p>${hasFilter(params) ? html`<a href=${addressOf(`/ledger?pen=${pen}`)}>Show all events</a>` : t('Every step that oka takes is written here, before it counts.')}</p>
          <//>`
        : html`<ol class="events" aria-label="Events, the latest first">${events.map((event) => html`<${EventRow} key=${event.seq} pen=${pen} event=${event} params=${params} />`)}</ol>`
    }
    <p class="row">
      ${isOlder ? html`<a class="button" href=${addressOf(hrefWith(params, { before: null, seq: null }))}>Newest</a>` : null}
      ${next === null ? null : html`<a class="button" href=${addressOf(hrefWith(params, { before: String(next), seq: null }))}>Older</a>`}
    </p>`;
}

function Filters({ data, params }: { data: Answer; params: Params }): VNode {
  const submit = (event: Event): void => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>;
    const { from = '', to = '', ...rest } = given;
    navigate(`/ledger${queryString({ ...rest, since: startOfDay(from), until: startOfDay(to, 1) })}`);
  };
  return html`<form class="filters" role="search" key=${JSON.stringify(params)} onSubmit=${submit}>
    <label>Ledger <select name="pen"><option value="run" selected=${data.pen === 'run'}>run</option><option value="maintenance" selected=${data.pen === 'maintenance'}>maintenance</option></select></label>
    <label>Type <input name="type" list="types" defaultValue=${params['type'] ?? ''} placeholder="run.*" autocomplete="off" /></label>
    <datalist id="types">${data.types.map((type) => html`<option value=${type}></option>`)}</datalist>
    <label>Run <input name="run" defaultValue=${params['run'] ?? ''} autocomplete="off" /></label>
    <label>Words <input type="search" name="text" defaultValue=${params['text'] ?? ''} /></label>
    <label>From <input type="date" name="from" defaultValue=${dateOf(params['since'])} /></label>
    <label>To <input type="date" name="to" defaultValue=${dateOf(params['until'], -1)} /></label>
    <button type="submit">Show</button>
    ${hasFilter(params) ? html`<a class="button" href=${addressOf(`/ledger?pen=${data.pen}`)}>Clear</a>` : null}
  </form>`;
}

function EventRow({ pen, event, params }: { pen: string; event: Answer['events'][number]; params: Params }): VNode {
  const { seq, at, type, run, sentence } = event;
  const isOpen = params['seq'] === String(seq);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => (isOpen ? row.current?.scrollIntoView({ block: 'nearest' }) : undefined), [isOpen]);
  const href = hrefWith(params, { seq: isOpen ? null : String(seq), before: isOpen ? String(seq + 1) : null });
  return html`<li ref=${row} class=${isOpen ? 'event chosen' : 'event'}>
    <a class="line" href=${addressOf(href)} aria-expanded=${isOpen ? 'true' : 'false'}>
      <span class="seq number">${seq}</span>
      <${Time} at=${at} />
      <span class="type">${type}</span>
      <span class="sentence">${sentence}</span>
    </a>
    ${isOpen ? html`<${StoredEvent} pen=${pen} seq=${seq} run=${run} cause=${event.cause} />` : null}
  </li>`;
}

function StoredEvent({
  pen,
  seq,
  run,
  cause,
}: {
  pen: string;
  seq: number;
  run: string | null;
  cause: number | null;
}): VNode {
  const found = useQuery<z.infer<typeof LedgerEventAnswer>>('ledger-event', { pen, seq });
  if (found.state === 'reading') return html`<p class="soft">Reading…</p>`;
  if (found.state === 'failed') return html`<${Problem} error=${found.error} />`;
  const { raw, offset, bytes, file } = found.data;
  return html`<div class="stored">
    <p class="row">
      ${run === null ? null : html`<a href=${addressOf(`/runs/${run}`)}>Run ${run}</a> <a href=${addressOf(`/ledger?pen=${pen}&run=${run}`)}>Its events</a>`}
      ${cause === null ? null : html`<a href=${addressOf(`/ledger?pen=run&seq=${cause}`)}>Caused by ${formatCount(cause)}</a>`}
      <a href=${addressOf(`/ledger?pen=${pen}&seq=${seq}`)}>Link to this event</a>
    </p>
    <p class="soft">${file}, byte ${formatCount(offset)}, ${formatBytes(bytes)}</p>
    <h3>Data</h3>
    <pre tabindex="0">${prettyData(raw)}</pre>
    <details><summary>The line as it is stored</summary><pre class="raw" tabindex="0">${raw}</pre></details>
  </div>`;
}

function prettyData(raw: string): string {
  try {
    return JSON.stringify((JSON.parse(raw) as { data: unknown }).data, null, 2);
  } catch {
    return t('This line cannot be read.');
  }
}

const FILTERS = ['type', 'run', 'text', 'since', 'until'];
const hasFilter = (params: Params): boolean => FILTERS.some((name) => (params[name] ?? '') !== '');

/** The address of this page with some parameters changed; null removes one. */
const hrefWith = (params: Params, changed: Record<string, string | null>): string =>
  `/ledger${queryString({ ...params, ...changed })}`;

/** The beginning of a day in the zone of the reader, as a moment in UTC. */
function startOfDay(date: string, later = 0): string | null {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return date === '' ? null : new Date(year, month - 1, day + later).toISOString();
}

/** The day of a moment in the zone of the reader, such as 2026-01-31. */
function dateOf(at: string | undefined, later = 0): string {
  if (at === undefined) return '';
  const day = new Date(at);
  day.setDate(day.getDate() + later);
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}-${String(day.getDate()).padStart(2, '0')}`;
}

function step(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.events .line')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}
