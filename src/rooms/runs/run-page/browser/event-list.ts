/** The events of a run as the ledger has them; read only when somebody opens them. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import { useGrowingList } from './growing-list.ts';
import { JsonTree } from '../../../../kit/web/browser/components/json-tree.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Shown = { seq: number; type: string; at: string; run: string; data: unknown };

const SHOWN = 100;

export function EventList({ run, seq, last }: { run: string; seq: string | null; last: number }): VNode {
  const chosen = seq === null ? null : Number(seq);
  const { rows, isComplete } = useGrowingList<Shown>('run-events', run, 'events', (row) => row.seq, { last });
  const [most, setMost] = useState(SHOWN);
  const at = chosen === null ? -1 : rows.findIndex((row) => row.seq === chosen);
  const end = at === -1 ? rows.length : Math.min(rows.length, at + SHOWN / 2);
  const shown = rows.slice(Math.max(0, end - most), end);
  return html`<div id="events" class="stack">
    <p class="soft number" role="status">${countOf(rows.length, 'event')}${isComplete ? '' : t(', reading …')}</p>
    ${end > most && html`<button type="button" onClick=${() => setMost(most + 500)}>Show earlier events</button>`}
    ${shown.map(
      (
        event,
      ) => html`<details key=${event.seq} class=${event.seq === chosen ? 'chosen' : ''} open=${event.seq === chosen}>
        <summary><span class="number">${event.seq}</span> <${Time} at=${event.at} /> <code>${event.type}</code></summary>
        <p class="no-print"><a href=${addressOf(`/runs/${run}/events/${event.seq}`)}>Link to this event</a></p>
        <${JsonTree} value=${event.data} />
      </details>`,
    )}
    ${end < rows.length && html`<p><a href=${addressOf(`/runs/${run}`)}>Show the latest events</a></p>`}
  </div>`;
}
