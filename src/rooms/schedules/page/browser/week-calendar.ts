/** A week as seven days: what ran, what is still to come. Times of the reader. */
import type { VNode } from 'preact';
import { daysFrom } from '../../../../kit/web/browser/components/day-words.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { SchedulesAnswer } from '../schedule-answers.ts';
import { locale, t } from '../../../../kit/web/browser/words.ts';

type Moment = SchedulesAnswer['week'][number];

const DAYS = [-3, -2, -1, 0, 1, 2, 3];
/** More times of one schedule in a day are said as a number. */
const MOST_APART = 3;
const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });

export function WeekCalendar({ week }: { week: readonly Moment[] }): VNode {
  const now = new Date();
  return html`<section aria-labelledby="week"><h2 id="week" class="hidden">This week</h2>
    <ol class="week">${DAYS.map((days) => {
      const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
      const moments = week.filter(({ at }) => daysFrom(now, new Date(at)) === days);
      return html`<li key=${days} class=${days === 0 ? 'day today' : 'day'} aria-current=${days === 0 ? 'date' : null}>
        <h3><span>${weekday.format(date)}</span> <span class="number">${date.getDate()}</span>${days === 0 && html` <span class="tag">today</span>`}</h3>
        ${moments.length === 0 ? html`<p class="soft none"><span aria-hidden="true">–</span><span class="hidden">nothing</span></p>` : html`<ul>${grouped(moments).map((group, index) => html`<${Group} key=${index} moments=${group} />`)}</ul>`}
      </li>`;
    })}</ol>
  </section>`;
}

/** One by one, unless a schedule comes often: then its times of that day together. */
function grouped(moments: readonly Moment[]): Moment[][] {
  const bySchedule = Map.groupBy(moments, ({ schedule, state }) => `${schedule} ${state}`);
  return [...bySchedule.values()]
    .flatMap((all) => (all.length > MOST_APART ? [all] : all.map((one) => [one])))
    .toSorted((a, b) => (a[0]?.at ?? '').localeCompare(b[0]?.at ?? ''));
}

const WORDS: Readonly<Record<string, string>> = { due: '', missed: t('missed'), skipped: t('skipped') };

function Group({ moments }: { moments: readonly Moment[] }): VNode | null {
  const [first] = moments;
  if (first === undefined) return null;
  const { at, title, state, run } = first;
  const when = moments.length === 1 ? timeOfDay.format(new Date(at)) : t('{} times', moments.length);
  const what = html`<span class="number when">${when}</span> <span class="what">${title}</span>
    ${state !== 'due' && (state in WORDS ? html`<span class="tag warn">${WORDS[state]}</span>` : html`<${Status} status=${state} />`)}`;
  return html`<li class=${state === 'due' ? 'due' : 'past'}>${
    run === null || moments.length > 1
      ? what
      : html`<a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>${what}</a>`
  }</li>`;
}
