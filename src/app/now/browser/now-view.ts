/** The page Now: the box for new work, then what needs you, what runs, and what was finished. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { addressOfDrawing } from '../../../kit/web/browser/components/drawing-address.ts';
import { Empty } from '../../../kit/web/browser/components/empty.ts';
import { countOf, formatCount, formatMoney } from '../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../kit/web/browser/components/status-mark.ts';
import { Elapsed, Time } from '../../../kit/web/browser/components/time.ts';
import { html } from '../../../kit/web/browser/html.ts';
import type { Key } from '../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../kit/web/browser/page-data.ts';
import { navigate } from '../../../kit/web/browser/router.ts';
import { addressWithTicket, hasTicket } from '../../../kit/web/browser/session-key.ts';
import { addressOf, start } from '../../../kit/web/browser/start.ts';
import { type Choosable, choosable, chosenItem, move, type NowData, type Recent } from './now-data.ts';
import { chosenId } from '../../../kit/web/browser/answers/chosen-wait.ts';
import { OpenDecision, openDecision } from '../../../kit/web/browser/answers/decision-dialog.ts';
import { RunningCard } from './running-card.ts';
import { focusTaskBox, proposeTask, TaskBox } from './task-box.ts';
import { WaitingCard } from '../../../kit/web/browser/answers/waiting-card.ts';
import { t } from '../../../kit/web/browser/words.ts';

/** A worker that is killed writes no event, so the page is read again now and then. */
const REFRESH_MS = 20_000;

export default function NowView({ data, reload }: ViewProps<NowData>): VNode {
  const { waiting, running, recent } = data;
  useEffect(() => void (choosable.value = choosableIn(data)), [data]);
  useEffect(() => {
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const canAct = start.rights === 'all';
  const asks = new Set(waiting.map(({ run }) => run.split('.')[0]));
  const busy = running.filter(({ run }) => !asks.has(run.split('.')[0])); // what needs you stands there already
  return html`<header class="row apart now-head"><h1>${greeting()}</h1><${StateLine} data=${data} /></header>
    ${canAct ? html`<${TaskBox} onAdded=${reload} />` : null}
    <${Problems} data=${data} />
    <div class="now">
      <section class="needs" aria-labelledby="now-waiting">
        <h2 id="now-waiting">Needs you ${count(waiting.length)}</h2>
        <div class="stack">
          ${waiting.map((wait) => html`<${WaitingCard} key=${wait.wait} wait=${wait} canAct=${canAct} />`)}
          ${waiting.length === 0 ? html`<p class="soft">Nothing needs you right now.</p>` : null}
        </div>
      </section>
      <section class="happens" aria-labelledby="now-running">
        <h2 id="now-running">In progress ${count(busy.length)}</h2>
        <div class="stack">
          ${busy.map((run) => html`<${RunningCard} key=${run.run} run=${run} />`)}
          ${busy.length === 0 ? html`<p class="soft">${waiting.length === 0 ? t('oka is free. Tell it above what you would like done.') : t('Nothing else is running.')}</p>` : null}
        </div>
        ${
          canAct && data.suggestions.length > 0
            ? html`<h2 class="next">What could be next</h2><ul class="suggestions">${data.suggestions.map(({ title, text }) => html`<li key=${title}><button type="button" onClick=${() => proposeTask(text)}>${title}</button></li>`)}</ul>`
            : null
        }
      </section>
      <section class="finished" aria-labelledby="now-recent">
        <h2 id="now-recent">Finished</h2>
        <div class="stack">
          ${recent.map((run) => html`<${RecentCard} key=${run.run} run=${run} />`)}
          ${recent.length === 0 ? html`<${Empty} title="No results yet."><p>They appear here, and as files in workspace/outbox.</p><//>` : null}
        </div>
      </section>
    </div>
    <${OpenDecision} onDone=${reload} />`;
}

function greeting(): string {
  const hour = new Date().getHours();
  return t(hour < 5 ? 'Good evening' : hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening');
}

const count = (many: number): VNode | null => (many === 0 ? null : html`<span class="tag number">${many}</span>`);

function choosableIn({ waiting, running, recent }: NowData): Choosable[] {
  return [
    ...waiting.map((wait) => ({ id: wait.wait, run: wait.run, wait })),
    ...[...running, ...recent].map(({ run }) => ({ id: run, run, wait: null })),
  ];
}

const WORKER: Readonly<Record<NowData['worker'], string>> = {
  running: t('oka is working'),
  paused: t('Paused: nothing new begins until `oka unpause`'),
  stopped: t('Stopped: nothing runs until .oka/STOP is removed, or a stopped fleet resumes'),
  silent: t('The worker does not respond'),
  none: t('No worker is running. Start it: oka up'),
};

function StateLine({ data: { worker, model, today } }: { data: NowData }): VNode {
  return html`<p class="state-line" role="status">
    <span class=${worker === 'running' ? 'tag' : 'tag warn'}>${WORKER[worker]}</span>
    <span class="tag">${model ?? t('without a model')}</span>
    <span class="tag number">today: ${spentToday(today)}</span>
  </p>`;
}

const spentToday = ({ done, not_done: notDone, usd, tokens }: NowData['today']): string =>
  [
    t('{} done', formatCount(done)),
    ...(notDone === 0 ? [] : [t('{} not done', formatCount(notDone))]),
    ...(tokens === 0 ? [] : [formatMoney(usd), countOf(tokens, 'token')]),
  ].join(', ');

function Problems({
  data: { offers_setup, rules_problem, history_problem, rejected, untaken, schedules },
}: {
  data: NowData;
}): VNode {
  return html`${
    offers_setup
      ? html`<div class="warning row apart"><p>No language model is set up. Tasks with their commands written out work without one; tasks in plain words need one.</p><a class="button" href=${addressOf('/setup')}>Set one up</a></div>`
      : null
  }
  ${history_problem === null ? null : html`<div class="problem" role="alert"><p>${history_problem.what}</p><p class="fix">What is shown here may be out of date. ${history_problem.fix}</p></div>`}
  ${rules_problem === null ? null : html`<div class="problem" role="alert"><p>${rules_problem}</p><p class="fix">Correct the file in .oka/rules; oka continues automatically.</p></div>`}
  ${
    untaken.why === null
      ? null
      : html`<details class="warning"><summary>${untaken.total === 1 ? t('1 entry of the inbox waits') : t('{} entries of the inbox wait', untaken.total)}: ${untaken.why}</summary>
          <p>${untaken.names.join(', ')}${untaken.total > untaken.names.length ? ', …' : ''}</p></details>`
  }
  ${
    rejected.total === 0
      ? null
      : html`<details class="warning"><summary>${rejected.total === 1 ? t('1 file was not accepted') : t('{} files were not accepted', rejected.total)}</summary>
          <ul>${rejected.entries.map(({ name, reason }) => html`<li key=${name}><strong>${name}</strong>: ${reason}</li>`)}</ul>
          <p class="fix">Correct a file and move it from workspace/inbox/rejected back into the inbox.</p></details>`
  }
  ${
    schedules.length === 0
      ? null
      : html`<div class="warning"><ul>${schedules.map(({ schedule, reason }) => html`<li key=${schedule}><strong>${schedule}</strong>: ${reason}</li>`)}</ul></div>`
  }`;
}

function RecentCard({ run: recent }: { run: Recent }): VNode {
  const { run, title, status, started, ended, line, cost, files, picture } = recent;
  return html`<article class="card" id=${`item-${run}`} aria-current=${chosenId.value === run ? 'true' : null}>
    ${picture !== null && hasTicket.value ? html`<${Picture} key=${picture} href=${picture} />` : null}
    <h3><a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>${title}</a></h3>
    ${line === null ? null : html`<p class="result-line">${line}</p>`}
    ${files.length === 0 ? null : html`<p class="row files">${files.map((name) => html`<span class="tag" key=${name}>${name}</span>`)}</p>`}
    <p class="row soft"><${Status} status=${status} />${ended === null ? null : html`<${Time} at=${ended} />`}<span>took <${Elapsed} from=${started} to=${ended} /></span>${cost.usd === 0 ? null : html`<span class="number">${formatMoney(cost.usd)}</span>`}</p>
  </article>`;
}

/** Its address stays the same for as long as it is shown, so that it is read once. */
function Picture({ href }: { href: string }): VNode | null {
  const isDrawing = href.endsWith('.svg');
  const [address, setAddress] = useState(isDrawing ? null : addressWithTicket(`/${href}`));
  useEffect(() => {
    if (isDrawing) addressOfDrawing(href).then(setAddress, () => setAddress(null)); // the card says the rest
  }, [href]);
  return address === null ? null : html`<img class="thumbnail" src=${address} alt="" loading="lazy" />`;
}

/** Events that cannot change what is shown here. */
const UNRELATED = /^(?:desk|egress|fact|procedure|page|context|change|episode|storage|state|graph)\./;

export const isChangedBy = ({ type }: LedgerEvent): boolean => !UNRELATED.test(type);

function decide(verdict: 'approved' | 'denied'): void {
  const wait = chosenItem()?.wait ?? choosable.value.find((each) => each.wait?.for.kind === 'approval')?.wait ?? null;
  if (start.rights === 'all' && wait?.for.kind === 'approval') openDecision(wait, verdict);
}

export const keys: readonly Key[] = [
  { key: 'n', does: t('New task'), run: focusTaskBox },
  { key: 'j', does: t('Next'), run: () => move(1) },
  { key: 'k', does: t('Previous'), run: () => move(-1) },
  { key: 'a', does: t('Approve the chosen one, after showing it'), run: () => decide('approved') },
  { key: 'd', does: t('Deny the chosen one'), run: () => decide('denied') },
  {
    key: 'Enter',
    does: t('Open the chosen one'),
    run: () => {
      const run = chosenItem()?.run;
      if (run !== undefined) navigate(`/runs/${encodeURIComponent(run)}`);
    },
  },
];
