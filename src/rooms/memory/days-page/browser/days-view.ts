/** The page of a day, as it is in .oka/memory, and the list of all days. */
import type { VNode } from 'preact';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { Markdown } from '../../../../kit/web/browser/components/markdown.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import { MemoryTabs } from '../../../../kit/web/browser/components/memory-tabs.ts';
import type { DaysAnswer } from '../day-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';

/** Pages are written by maintenance. */
export const isChangedBy = ({ pen }: LedgerEvent): boolean => pen === 'maintenance';

const click = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.click();
export const keys: readonly Key[] = [
  { key: 'k', does: t('The day after'), run: click('#later') },
  { key: 'j', does: t('The day before'), run: click('#earlier') },
];

export default function DaysView({ data }: ViewProps<DaysAnswer>): VNode {
  const { days, day, page, notes, file } = data;
  if (day === null)
    return html`<${MemoryTabs} current="days" />
      <${Empty} title="No day has a page yet"><p>Maintenance writes one for each day on which something happened.</p><//>`;
  const at = days.indexOf(day);
  return html`<${MemoryTabs} current="days" />
    <div class="row apart no-print">
      <div class="row"><${DayLink} id="earlier" day=${days[at + 1]} label="← The day before" /><${DayLink} id="later" day=${days[at - 1]} label="The day after →" /></div>
      <details><summary>All days (${days.length})</summary><ul class="day-list">${days.map((each) => html`<li><a href=${addressOf(`/memory/days?day=${each}`)} aria-current=${each === day ? 'page' : null}>${each}</a></li>`)}</ul></details>
    </div>
    <article><${Markdown} text=${withoutLocalLinks(page)} /></article>
    ${notes === '' ? null : html`<section><h2>Your notes</h2><${Markdown} text=${notes} /></section>`}
    <p class="soft"><small>Write your notes into <code>${file}</code>; they stay.</small></p>`;
}

function DayLink({ id, day, label }: { id: string; day: string | undefined; label: string }): VNode | null {
  return day === undefined
    ? null
    : html`<a class="button" id=${id} href=${addressOf(`/memory/days?day=${day}`)}>${label}</a>`;
}

/** Links to files beside the page lead nowhere in a browser: those to a result become links to its run. */
function withoutLocalLinks(page: string): string {
  return page
    .replaceAll(
      /\[result\]\(\.\.\/\.\.\/workspace\/outbox\/([A-Za-z0-9._-]+)\/RESULT\.md\)/g,
      (_, run: string) => `[the run](${runAddress(`/runs/${run}`)})`,
    )
    .replaceAll(
      /\]\(\.\.\/brain\/PROCEDURES\/([^)]+)\.md\)/g,
      (_, id: string) => `](${runAddress(`/memory/procedures/${id}`)})`,
    );
}

const runAddress = (path: string): string => new URL(addressOf(path), location.href).href;
