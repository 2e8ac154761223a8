/** What was learned or forgotten lately, each with a button that undoes it. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { submit } from '../../../../kit/web/browser/api.ts';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { setParams } from '../../../../kit/web/browser/router.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { LearnedAnswer, LearnedLine } from '../../page/memory-answers.ts';
import { MemoryTabs } from '../../../../kit/web/browser/components/memory-tabs.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export const isChangedBy = ({ type }: LedgerEvent): boolean => /^(fact|procedure|change)\./.test(type);

/** What was asked to be undone and may not have happened yet: maintenance acts at its next pass. */
const requested = signal<ReadonlySet<string>>(new Set());
const nameOf = ({ pen, seq }: LearnedLine): string => `${pen}:${seq}`;

const PERIODS = [
  { days: 7, title: t('This week') },
  { days: 31, title: t('This month') },
  { days: 366, title: t('This year') },
];

export default function LearnedView({ data, params }: ViewProps<LearnedAnswer>): VNode {
  return html`<${MemoryTabs} current="learned" />
    <label class="no-print">Period
      <select value=${params['days'] ?? '7'} onChange=${(event: Event) => setParams({ days: (event.target as HTMLSelectElement).value })}>
        ${PERIODS.map(({ days, title }) => html`<option value=${days}>${title}</option>`)}
      </select>
    </label>
    ${
      data.changes.length === 0
        ? html`<${Empty} title="Nothing was learned in this time"><p>Maintenance learns from tasks, answers and corrections; it runs beside the worker.</p><//>`
        : html`<ul class="fact-list">${data.changes.map((change) => html`<${ChangeLine} key=${nameOf(change)} change=${change} />`)}</ul>`
    }
    ${data.complete ? null : html`<p class="soft">There was more; only the latest are shown.</p>`}`;
}

function ChangeLine({ change }: { change: LearnedLine }): VNode {
  const { pen, seq, at, text, run, procedure, undo, undone } = change;
  const isRequested = requested.value.has(nameOf(change));
  return html`<li class=${undone || isRequested ? 'fact struck' : 'fact'}>
    <div>
      <p class="fact-text">${text}</p>
      <p><small><a href=${addressOf(`/ledger?pen=${pen}&seq=${seq}`)}><${Time} at=${at} /></a>${run === null ? null : html` · <a href=${addressOf(`/runs/${run}`)}>the task</a>`}${procedure === null ? null : html` · <a href=${addressOf(`/memory/procedures/${procedure}`)}>the procedure</a>`}</small></p>
    </div>
    ${
      undone
        ? html`<span class="tag">undone</span>`
        : isRequested
          ? html`<span class="tag">requested</span>`
          : undo === null || start.rights === 'read'
            ? null
            : html`<button type="button" class="no-print" onClick=${() => undoChange(change)}>Undo<span class="hidden"> “${text}”</span></button>`
    }
  </li>`;
}

async function undoChange(change: LearnedLine): Promise<void> {
  await attempt(async () => {
    const { worker } = await submit(intakeFor(change));
    requested.value = new Set([...requested.value, nameOf(change)]);
    if (change.undo === 'forget') notice(worker ? t('Forgotten.') : t('It is forgotten once a worker runs.'));
    else notice(t('Requested: maintenance undoes it at its next pass.'));
  });
}

function intakeFor({ undo, seq, fact, procedure }: LearnedLine): Parameters<typeof submit>[0] {
  if (undo === 'forget') return { kind: 'forget', facts: [fact ?? ''], why: 'deleted' };
  if (undo === 'demote') return { kind: 'procedure', procedure: procedure ?? '', to: 'demoted', reason: '' };
  return { kind: 'take_back', change: seq, reason: '' };
}
