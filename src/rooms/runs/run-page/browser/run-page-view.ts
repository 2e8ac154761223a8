/** The page of a run: what it needs from you and its result first, then how it came about, in tabs that grow with its events. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { OpenDecision } from '../../../../kit/web/browser/answers/decision-dialog.ts';
import { WaitingCard } from '../../../../kit/web/browser/answers/waiting-card.ts';
import { countOf, formatCount, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { type Tab, Tabs } from '../../../../kit/web/browser/components/tabs.ts';
import { Elapsed, formatDuration, Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressWithTicket } from '../../../../kit/web/browser/session-key.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { RunAnswer } from '../run-answer.ts';
import { CallList } from './call-list.ts';
import { ChangedFiles } from './changed-files-view.ts';
import { EventList } from './event-list.ts';
import { Gantt } from './gantt-chart.ts';
import { LiveWords } from './live-words.ts';
import { RunButtons } from './run-buttons.ts';
import { ShownResult } from './shown-result.ts';
import { StepGraph } from './step-graph.ts';
import { t } from '../../../../kit/web/browser/words.ts';

/** Runs inside a run have names that begin with its name. */
const isOfRun = (run: string | null, shown: string): boolean =>
  run !== null && (run === shown || run.startsWith(`${shown}.`));

export const isChangedBy = (event: LedgerEvent, { run = '' }: Readonly<Record<string, string>>): boolean =>
  isOfRun(event.run, run);

type TabId = 'steps' | 'timeline' | 'why' | 'cost' | 'raw';
const TABS: readonly Tab<TabId>[] = [
  { id: 'steps', title: t('Steps') },
  { id: 'timeline', title: t('Timeline') },
  { id: 'why', title: t('Why') },
  { id: 'cost', title: t('Cost and limits') },
  { id: 'raw', title: t('Events') },
];

const tab = signal<TabId>('steps');

export const keys: readonly Key[] = TABS.map(({ id, title }, index) => ({
  key: String(index + 1),
  does: title,
  run: () => (tab.value = id),
}));

export default function RunView({ data, params, reload }: ViewProps<RunAnswer>): VNode {
  const { run, title, status, waits, awaited } = data;
  const isOpen = status === 'running' || status === 'blocked' || status === 'paused';
  useLayoutEffect(() => {
    document.title = `${title} · oka`;
    tab.value = params['seq'] === undefined ? 'steps' : 'raw';
  }, [run, params['node'], params['seq']]);
  useEffect(() => {
    if (params['node'] !== undefined || params['seq'] !== undefined)
      document.getElementById('tab-panel')?.scrollIntoView({ block: 'start' });
  }, [run, params['node'], params['seq']]);
  const others = waits.filter(({ wait }) => !awaited.some((each) => each.wait === wait));
  const isLed = awaited.length > 0 && data.answer === null; // a page that only says that it waits would say it twice
  return html`<div class="run-page stack">
    <${Head} data=${data} reload=${reload} />
    ${awaited.map((wait) => html`<${WaitingCard} key=${wait.wait} wait=${wait} canAct=${start.rights === 'all'} isOnItsRun />`)}
    ${others.length > 0 && html`<section class="card" aria-label="What it waits for">${others.map(({ wait, for: awaitedFor }) => html`<p key=${wait}>It waits ${describeWait(awaitedFor)}.</p>`)}</section>`}
    ${isOpen && html`<${LiveWords} run=${run} />`}
    ${!isLed && html`<${ShownResult} data=${data} />`}
    <${ChangedFiles} key=${`files ${run}`} run=${run} isOpen=${isOpen} />
    <div>
      <${Tabs} label="How it came about" tabs=${TABS} chosen=${tab.value} onChoose=${(id: TabId) => (tab.value = id)}>
        <${Panel} data=${data} params=${params} />
      <//>
    </div>
    <${OpenDecision} onDone=${reload} />
  </div>`;
}

function Panel({ data, params }: Pick<ViewProps<RunAnswer>, 'data' | 'params'>): VNode {
  const { run, steps, events, graph_run: graphRun } = data;
  const node = params['node'] ?? null;
  switch (tab.value) {
    case 'steps':
      return html`${steps.length > 0 && html`<section id="steps"><h2 class="hidden">Steps</h2><${StepGraph} key=${graphRun} data=${data} chosen=${node} /></section>`}
        <section id="calls"><h2>Calls</h2><${CallList} key=${run} run=${run} node=${node} last=${events.last} isOver=${data.ended !== null} /></section>`;
    case 'timeline':
      return html`<section id="timeline"><h2 class="hidden">Timeline</h2><${Gantt} key=${run} data=${data} /></section>`;
    case 'why':
      return html`<${Why} data=${data} />`;
    case 'cost':
      return html`<${Facts} data=${data} />`;
    case 'raw':
      return html`<${EventList} key=${`events ${run}`} run=${run} seq=${params['seq'] ?? null} last=${events.last} />`;
  }
}

function Head({ data, reload }: { data: RunAnswer; reload: () => void }): VNode {
  const { title, status, verdict, reason, started, ended, cost, undone, earlier_plans: earlier, deliverables } = data;
  const isTold = deliverables.some(({ path }) => path === 'RESULT.md'); // it says why, in sentences
  const spent = [
    cost.tokens === 0 ? '' : countOf(cost.tokens, 'token'),
    cost.usd === 0 ? '' : formatMoney(cost.usd),
  ].filter((each) => each !== '');
  return html`<header class="run-head stack">
    <div><p class="soft way"><a href=${addressOf('/runs')}>Runs</a></p><h1>${title}</h1></div>
    <div class="row">
      <${Status} status=${status} />
      ${verdict !== status && !isTold && html`<span class="tag">${t(verdict)}</span>`}
      ${undone !== null && html`<span class="tag warn">undone <${Time} at=${undone} /></span>`}
      ${started !== null && html`<span class="soft"><${Time} at=${started} />, ${ended === null ? html`for <${Elapsed} from=${started} />` : html`took <${Elapsed} from=${started} to=${ended} />`}</span>`}
      ${spent.length > 0 && html`<span class="soft number">${spent.join(' · ')}</span>`}
      ${earlier.length > 0 && html`<span class="tag">planned ${earlier.length + 1} times</span>`}
    </div>
    ${reason !== '' && !isTold && html`<p class=${status === 'failed' ? 'problem' : 'soft'}>${reason}</p>`}
    ${start.rights === 'all' && html`<${RunButtons} data=${data} reload=${reload} />`}
  </header>`;
}

function describeWait(awaited: RunAnswer['waits'][number]['for']): VNode | string {
  switch (awaited.kind) {
    case 'approval':
      return html`<span>for an approval: <code>${awaited.asked?.command ?? awaited.text}</code>${awaited.asked === undefined ? null : html`<br /><span class="soft">${awaited.asked.why}</span>`}</span>`;
    case 'question':
      return t('for an answer: {}', awaited.text);
    case 'requirement':
      return t('for {} to be installed', awaited.name);
    case 'timer':
      return html`<span>until <${Time} at=${awaited.until} />${awaited.why === undefined ? '' : `: ${awaited.why}`}</span>`;
    case 'child':
      return html`<span>for the run <a href=${addressOf(`/runs/${awaited.run}`)}>${awaited.run}</a></span>`;
    case 'turn':
      return t('for earlier runs of the same graph');
    case 'message':
      return t('for a reply in {}', awaited.thread);
  }
}

/** What decided: what was asked for and found, why it was planned again, what people said, and what came before and after. */
function Why({ data }: { data: RunAnswer }): VNode {
  const { criteria, replans, notes, related, children } = data;
  const isEmpty = [criteria, replans, notes, related, children].every(({ length }) => length === 0);
  return html`
    ${isEmpty && html`<p class="soft">Nothing was judged or decided in it.</p>`}
    ${criteria.length > 0 && html`<${Evidence} criteria=${criteria} />`}
    ${replans.length > 0 && html`<section><h2>Planned again</h2><ul>${replans.map(({ seq, at, reason }) => html`<li key=${seq}><${Time} at=${at} /> ${reason}</li>`)}</ul></section>`}
    ${notes.length > 0 && html`<section><h2>Notes</h2><ul>${notes.map(({ seq, at, text, state }) => html`<li key=${seq}><${Time} at=${at} /> ${text} <span class="soft">${t(state)}</span></li>`)}</ul></section>`}
    ${(related.length > 0 || children.length > 0) && html`<${Relations} data=${data} />`}`;
}

function Evidence({ criteria }: { criteria: RunAnswer['criteria'] }): VNode {
  return html`<section><h2>What was asked for, and what was found</h2><ul class="criteria">${criteria.map(
    ({ text, holds, evidence, by }, index) =>
      html`<li key=${index}><${Status} status=${holds ? 'done' : 'failed'} /><div><p>${text}</p><p class="soft">${evidence} <small>(${by})</small></p></div></li>`,
  )}</ul></section>`;
}

function Relations({ data: { related, children } }: { data: RunAnswer }): VNode {
  const [most, setMost] = useState(20);
  const line = ({ run, title, status, why }: RunAnswer['children'][number]): VNode =>
    html`<li key=${run}>${why === '' ? '' : `${t(why)} `}<a href=${addressOf(`/runs/${run}`)}>${title}</a> <${Status} status=${status} /></li>`;
  return html`<section><h2>Other runs</h2>
    ${related.length > 0 && html`<ul>${related.map(line)}</ul>`}
    ${children.length > 0 && html`<h3>Started by it</h3><ul>${children.slice(0, most).map(line)}</ul>`}
    ${children.length > most && html`<button type="button" onClick=${() => setMost(most + 100)}>Show more of ${children.length}</button>`}
  </section>`;
}

function Facts({ data }: { data: RunAnswer }): VNode {
  const { cost, egress, model, graph, mode, budgets, events, run } = data;
  const limits = Object.entries(budgets).map(
    ([name, value]) => `${t(name.replaceAll('_', ' '))} ${formatCount(Number(value))}`,
  );
  return html`<section><h2 class="hidden">Cost and limits</h2><dl class="facts">
    <dt>Run</dt><dd><code>${run}</code></dd>
    <dt>Graph</dt><dd>${graph || '–'}${mode === null ? '' : `, ${mode}`}</dd>
    <dt>Model</dt><dd>${model ?? t('none was needed')}${cost.model_calls === 0 ? '' : t(', asked {} times', formatCount(cost.model_calls))}</dd>
    <dt>Cost</dt><dd class="number">${formatMoney(cost.usd)}, ${countOf(cost.tokens, 'token')}, ${formatDuration(cost.active_ms)} at work</dd>
    ${limits.length > 0 && html`<dt>Limits</dt><dd class="number">${limits.join(', ')}</dd>`}
    <dt>Network</dt><dd>${egress.length === 0 ? t('nothing left this machine through a command') : egress.map(({ host, verdict, count }) => html`<span key=${host + verdict} class=${verdict === 'refused' ? 'tag warn' : 'tag'}>${host} ${t(verdict)} ${count > 1 ? `${count}×` : ''}</span> `)}</dd>
    <dt>Ledger</dt><dd class="number">events ${events.first} to ${events.last} · <a class="no-print" href=${addressWithTicket(`/api/v1/run-export?run=${run}&form=html`)} download>Export as HTML</a> · <a class="no-print" href=${addressWithTicket(`/api/v1/run-export?run=${run}&form=json`)} download>as JSON</a></dd>
  </dl></section>`;
}
