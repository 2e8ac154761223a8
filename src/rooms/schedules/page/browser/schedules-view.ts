/** Everything that runs by itself: when next, what happened lately, and what a person can do about it. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { get, submit } from '../../../../kit/web/browser/api.ts';
import { momentInWords } from '../../../../kit/web/browser/components/day-words.ts';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { askConfirmation, Dialog } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { BackfillAnswer, SchedulesAnswer } from '../schedule-answers.ts';
import { ScheduleForm } from './schedule-form.ts';
import { WeekCalendar } from './week-calendar.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

type Row = SchedulesAnswer['schedules'][number];
type Act = 'on' | 'off' | 'delete' | 'trigger' | 'start';

export const isChangedBy = ({ type }: LedgerEvent): boolean => /^(schedule\.|slot\.|run\.(started|ended))/.test(type);

export default function SchedulesView({ data, reload }: ViewProps<SchedulesAnswer>): VNode {
  const { clock, schedules, refused, week } = data;
  const isNew = useSignal(false);
  return html`
    <header class="row apart schedules-head"><h1>Schedules</h1>${start.rights === 'all' ? html`<button type="button" class="primary" onClick=${() => (isNew.value = true)}>New schedule…</button>` : null}</header>
    ${
      isNew.value
        ? html`<${ScheduleForm} edited=${null} onClose=${() => {
            isNew.value = false;
            reload();
          }} />`
        : null
    }
    ${
      clock
        ? null
        : html`<div class="warning row apart"><span>The clock of schedules is off: nothing runs by itself.</span><button type="button" onClick=${() => act('start', null, t('The clock is on.'), reload)}>Switch it on</button></div>`
    }
    ${
      schedules.length + refused.length === 0
        ? html`<${Empty} title="Nothing runs by itself yet">
          <p>Make a new one above, such as “every Monday 08:00”, or give a task a time on the page <a href=${addressOf('/')}>Now</a>.</p>
        <//>`
        : null
    }
    ${schedules.length === 0 ? null : html`<${WeekCalendar} week=${week} />`}
    <div class="stack">${schedules.map((row) => html`<${ScheduleCard} key=${row.schedule} row=${row} reload=${reload} />`)}</div>
    ${refused.map(({ file, reason }) => html`<div class="problem"><p><strong>workspace/schedules/${file} does not run</strong></p><p>${reason}</p></div>`)}
    ${schedules.length === 0 ? null : html`<p class="soft">They are the files in <code>workspace/schedules</code>.</p>`}
  `;
}

function ScheduleCard({ row, reload }: { row: Row; reload: () => void }): VNode {
  const { schedule, title, kind, timezone, on, next, last_run: last, failures, problem, slots } = row;
  return html`<article class=${failures >= 2 || problem !== null ? 'card stack attention' : 'card stack'} aria-label=${schedule}>
    <div class="row apart">
      <div><h2>${title}</h2><p>${whenInWords(row)} ${on ? null : html`<span class="tag warn">off</span>`} <small>${timezone}${kind === 'graph' ? t(', a graph') : ''}</small></p></div>
      ${start.rights === 'all' ? html`<${Buttons} row=${row} reload=${reload} />` : null}
    </div>
    ${problem === null ? null : html`<div class="problem"><p>Its file cannot be read: ${problem}</p></div>`}
    ${failures >= 2 ? html`<p class="status failed">Its last ${failures} runs failed.</p>` : null}
    <dl class="facts">
      ${
        next.length < 2
          ? null
          : html`<dt>Then</dt><dd>${next
              .slice(1, 4)
              .map((at) => momentInWords(at))
              .join(', ')}</dd>`
      }
      ${last === null ? null : html`<dt>Last run</dt><dd><a href=${addressOf(`/runs/${last.run}`)}><${Status} status=${last.status} /></a> <${Time} at=${last.at} /></dd>`}
    </dl>
    ${slots.length === 0 ? null : html`<${Slots} slots=${slots} />`}
  </article>`;
}

/** "every weekday at 7:30, next tomorrow at 7:30". */
function whenInWords({ says, next: [first] }: Row): string {
  const next = first === undefined ? t('no further time') : t('next {}', momentInWords(first));
  return `${says.charAt(0).toUpperCase()}${says.slice(1)}, ${next}`;
}

function Slots({ slots }: { slots: Row['slots'] }): VNode {
  return html`<details><summary>Last times</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Last times"><table><thead><tr><th scope="col">Due</th><th scope="col">What happened</th><th scope="col">Run</th></tr></thead><tbody>
      ${slots.map(
        ({ slot, how, reason, run, source }) => html`<tr>
          <td><${Time} at=${slot} /></td>
          <td>${t(how.replace('_', ' '))}${source === 'schedule' ? '' : ` (${t(source)})`}<br /><small>${reason}</small></td>
          <td>${run === null ? '–' : html`<a href=${addressOf(`/runs/${run}`)}>${run}</a>`}</td>
        </tr>`,
      )}
    </tbody></table></div>
  </details>`;
}

function Buttons({ row, reload }: { row: Row; reload: () => void }): VNode {
  const { schedule, on, title, text, every, file, timezone } = row;
  const isBackfilling = useSignal(false);
  const isEdited = useSignal(false);
  const close = (): void => {
    isEdited.value = false;
    reload();
  };
  const remove = async (): Promise<void> => {
    const content = html`<p>“${title}” no longer runs. Its file moves to <code>workspace/schedules/.before</code>.</p>`;
    const question = { title: t('Delete {}?', schedule), content, yes: t('Delete'), isDangerous: true };
    if (await askConfirmation(question)) await act('delete', schedule, t('{} is deleted.', schedule), reload);
  };
  return html`<div class="row no-print">
    <button type="button" onClick=${() => act('trigger', schedule, t('{} runs now.', schedule), reload)}>Run now</button>
    <button type="button" onClick=${() => act(on ? 'off' : 'on', schedule, t(on ? '{} is off.' : '{} is on.', schedule), reload)}>${on ? t('Switch off') : t('Switch on')}</button>
    ${text === null || every === null ? null : html`<button type="button" onClick=${() => (isEdited.value = true)}>Change…</button>`}
    <button type="button" onClick=${() => (isBackfilling.value = true)}>Backfill…</button>
    <button type="button" class="quiet" onClick=${remove}>Delete…</button>
    ${isEdited.value ? html`<${ScheduleForm} edited=${{ title, file, text, every, timezone }} onClose=${close} />` : null}
    ${isBackfilling.value ? html`<${BackfillDialog} schedule=${schedule} onClose=${() => (isBackfilling.value = false)} />` : null}
  </div>`;
}

async function act(what: Act, schedule: string | null, done: string, reload: () => void): Promise<void> {
  const intake = { kind: 'schedule', act: what, ...(schedule === null ? {} : { schedule }) } as const;
  await attempt(async () => {
    const { worker } = await submit(intake);
    notice(worker ? done : t('No worker is running; this happens once one does. Start it: oka up'));
  });
  reload();
}

function BackfillDialog({ schedule, onClose }: { schedule: string; onClose: () => void }): VNode {
  const from = useSignal('');
  const to = useSignal('');
  const preview = useSignal<BackfillAnswer | null>(null);
  const count = (event: SubmitEvent): void => {
    event.preventDefault();
    const asked = { schedule, from: from.value, to: to.value };
    void attempt(async () => (preview.value = await get<BackfillAnswer>('backfill-preview', asked)));
  };
  const run = async ({ from: first, to: last, count: runs }: BackfillAnswer): Promise<void> => {
    const intake = { kind: 'schedule', act: 'backfill', schedule, from: first, to: last } as const;
    if (await attempt(() => submit(intake), t(runs === 1 ? 'One run is made.' : '{} runs are made.', runs))) onClose();
  };
  const field = (label: string, value: typeof from): VNode =>
    html`<label>${label} <input type="date" required value=${value.value} onInput=${(event: InputEvent) => change(event, value)} /></label>`;
  const change = (event: InputEvent, value: typeof from): void => {
    value.value = (event.target as HTMLInputElement).value;
    preview.value = null;
  };
  const shown = preview.value;
  return html`<${Dialog} title=${t('Backfill {}', schedule)} onClose=${onClose}>
    <p class="soft">Runs it for times that have passed. A time that was backfilled before is not run again.</p>
    <form class="stack" onSubmit=${count}>
      <div class="row">${field(t('From'), from)}${field(t('To'), to)}</div>
      <div class="row"><button type="submit">Count the runs</button></div>
    </form>
    ${
      shown === null
        ? null
        : html`<p role="status">${describePreview(shown)}</p>
          ${shown.count === 0 ? null : html`<footer class="row"><button type="button" class="primary" onClick=${() => run(shown)}>${shown.count === 1 ? t('Make 1 run') : t('Make {} runs', shown.count)}</button></footer>`}`
    }
  <//>`;
}

function describePreview({ count, first, last }: BackfillAnswer): VNode {
  if (count === 0 || first === null || last === null) return html`It was not due in that time.`;
  return html`${countOf(count, 'run')}, for <${Time} at=${first} /> to <${Time} at=${last} />.`;
}
