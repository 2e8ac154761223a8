/** The page of a run: its answer first, then how it came about. Lists grow with the events of the run. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatCount, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
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

/** Runs inside a run have names that begin with its name. */
export const isOfRun = (run: string | null, shown: string): boolean =>
  run !== null && (run === shown || run.startsWith(`${shown}.`));

export const isChangedBy = (event: LedgerEvent, { run = '' }: Readonly<Record<string, string>>): boolean =>
  isOfRun(event.run, run);

const jumpTo = (id: string): void => document.getElementById(id)?.scrollIntoView({ block: 'start' });

export const keys: Key[] = [
  { key: '1', does: 'Go to the result', run: () => jumpTo('result') },
  { key: '2', does: 'Go to the steps', run: () => jumpTo('steps') },
  { key: '3', does: 'Go to the timeline', run: () => jumpTo('timeline') },
  { key: '4', does: 'Go to the calls', run: () => jumpTo('calls') },
];

export default function RunView({ data, params, reload }: ViewProps<RunAnswer>): VNode {
  const { run, title, status, waits, steps, related, children } = data;
  const isOpen = status === 'running' || status === 'blocked' || status === 'paused';
  useEffect(() => {
    document.title = `${title} · oka`;
    if (params['node'] !== undefined) jumpTo('calls');
    if (params['seq'] !== undefined) jumpTo('events');
  }, [run]);
  return html`<div class="run-page stack">
    <${Head} data=${data} reload=${reload} />
    ${waits.length > 0 && html`<${Waits} waits=${waits} />`}
    ${isOpen && html`<${LiveWords} run=${run} />`}
    <${ShownResult} data=${data} />
    ${data.criteria.length > 0 && html`<${Evidence} criteria=${data.criteria} />`}
    ${steps.length > 0 && html`<section id="steps" class="card"><h2>Steps</h2><${StepGraph} key=${data.graph_run} data=${data} chosen=${params['node'] ?? null} /></section>`}
    <section id="timeline" class="card"><h2>Timeline</h2><${Gantt} key=${run} data=${data} /></section>
    <section id="calls" class="card"><h2>Calls</h2><${CallList} key=${run} run=${run} node=${params['node'] ?? null} last=${data.events.last} /></section>
    <${ChangedFiles} key=${`files ${run}`} run=${run} isOpen=${isOpen} />
    ${(related.length > 0 || children.length > 0) && html`<${Relations} data=${data} />`}
    <${Facts} data=${data} />
    <${EventList} key=${`events ${run}`} run=${run} seq=${params['seq'] ?? null} last=${data.events.last} />
  </div>`;
}

function Head({ data, reload }: { data: RunAnswer; reload: () => void }): VNode {
  const { run, title, status, verdict, reason, started, ended, cost, undone, earlier_plans: earlier } = data;
  return html`<header class="run-head stack">
    <div><p class="soft"><a href=${addressOf('/runs')}>Runs</a> / <code>${run}</code></p><h1>${title}</h1></div>
    <div class="row">
      <${Status} status=${status} />
      ${verdict !== status && html`<span class="tag">${verdict}</span>`}
      ${undone !== null && html`<span class="tag warn">undone <${Time} at=${undone} /></span>`}
      ${started !== null && html`<span class="soft"><${Time} at=${started} />, <${Elapsed} from=${started} to=${ended} /></span>`}
      <span class="soft number">${formatCount(cost.calls)} calls · ${formatCount(cost.tokens)} tokens · ${formatMoney(cost.usd)}</span>
      ${earlier.length > 0 && html`<span class="tag">planned ${earlier.length + 1} times</span>`}
    </div>
    ${reason !== '' && html`<p class=${status === 'failed' ? 'problem' : 'soft'}>${reason}</p>`}
    ${start.rights === 'all' && html`<${RunButtons} data=${data} reload=${reload} />`}
  </header>`;
}

function Waits({ waits }: { waits: RunAnswer['waits'] }): VNode {
  return html`<section class="card attention" aria-label="What it waits for">
    <h2>It waits</h2>
    <ul>${waits.map(({ wait, for: awaited }) => html`<li key=${wait}>${describeWait(awaited)}</li>`)}</ul>
    ${waits.some(({ for: { kind } }) => kind !== 'child' && kind !== 'timer' && kind !== 'turn') && html`<p><a href=${addressOf('/')}>Answer it on the page Now</a></p>`}
  </section>`;
}

function describeWait(awaited: RunAnswer['waits'][number]['for']): VNode | string {
  switch (awaited.kind) {
    case 'approval':
      return html`<span>for an approval: <code>${awaited.asked?.command ?? awaited.text}</code>${awaited.asked === undefined ? null : html`<br /><span class="soft">${awaited.asked.why}</span>`}</span>`;
    case 'question':
      return `for an answer: ${awaited.text}`;
    case 'requirement':
      return `for ${awaited.name} to be installed`;
    case 'timer':
      return html`<span>until <${Time} at=${awaited.until} />${awaited.why === undefined ? '' : `: ${awaited.why}`}</span>`;
    case 'child':
      return html`<span>for the run <a href=${addressOf(`/runs/${awaited.run}`)}>${awaited.run}</a></span>`;
    case 'turn':
      return 'for earlier runs of the same graph';
    case 'message':
      return `for a reply in ${awaited.thread}`;
  }
}

function Evidence({ criteria }: { criteria: RunAnswer['criteria'] }): VNode {
  return html`<section class="card"><h2>What was asked for, and what was found</h2><div class="scroll" tabindex="0"><table>
    <thead><tr><th>Met</th><th>Criterion</th><th>Evidence</th><th>By</th></tr></thead>
    <tbody>${criteria.map(
      ({ text, holds, evidence, by }, index) =>
        html`<tr key=${index}><td><${Status} status=${holds ? 'done' : 'failed'} /></td><td>${text}</td><td>${evidence}</td><td>${by}</td></tr>`,
    )}</tbody>
  </table></div></section>`;
}

function Relations({ data: { related, children } }: { data: RunAnswer }): VNode {
  const [most, setMost] = useState(20);
  const line = ({ run, title, status, why }: RunAnswer['children'][number]): VNode =>
    html`<li key=${run}>${why === '' ? '' : `${why} `}<a href=${addressOf(`/runs/${run}`)}>${title}</a> <${Status} status=${status} /></li>`;
  return html`<section class="card"><h2>Other runs</h2>
    ${related.length > 0 && html`<ul>${related.map(line)}</ul>`}
    ${children.length > 0 && html`<h3>Started by it</h3><ul>${children.slice(0, most).map(line)}</ul>`}
    ${children.length > most && html`<button type="button" onClick=${() => setMost(most + 100)}>Show more of ${children.length}</button>`}
  </section>`;
}

function Facts({ data }: { data: RunAnswer }): VNode {
  const { cost, egress, model, graph, mode, budgets, replans, notes, events, run } = data;
  const limits = Object.entries(budgets).map(([name, value]) => `${name} ${formatCount(Number(value))}`);
  return html`<section class="card"><h2>Facts</h2><dl class="facts">
    <dt>Graph</dt><dd>${graph || '–'}${mode === null ? '' : `, ${mode}`}</dd>
    <dt>Model</dt><dd>${model ?? 'none was needed'}${cost.model_calls === 0 ? '' : `, asked ${formatCount(cost.model_calls)} times`}</dd>
    <dt>Cost</dt><dd class="number">${formatMoney(cost.usd)}, ${formatCount(cost.tokens)} tokens, ${formatDuration(cost.active_ms)} at work</dd>
    ${limits.length > 0 && html`<dt>Limits</dt><dd class="number">${limits.join(', ')}</dd>`}
    <dt>Network</dt><dd>${egress.length === 0 ? 'nothing left this machine through a command' : egress.map(({ host, verdict, count }) => html`<span key=${host + verdict} class=${verdict === 'refused' ? 'tag warn' : 'tag'}>${host} ${verdict} ${count > 1 ? `${count}×` : ''}</span> `)}</dd>
    ${replans.length > 0 && html`<dt>Planned again</dt><dd><ul>${replans.map(({ seq, at, reason }) => html`<li key=${seq}><${Time} at=${at} /> ${reason}</li>`)}</ul></dd>`}
    ${notes.length > 0 && html`<dt>Notes</dt><dd><ul>${notes.map(({ seq, at, text, state }) => html`<li key=${seq}><${Time} at=${at} /> ${text} <span class="soft">${state}</span></li>`)}</ul></dd>`}
    <dt>Ledger</dt><dd class="number">events ${events.first} to ${events.last} · <a class="no-print" href=${addressWithTicket(`/api/v1/run-export?run=${run}&form=html`)} download>Export as HTML</a> · <a class="no-print" href=${addressWithTicket(`/api/v1/run-export?run=${run}&form=json`)} download>as JSON</a></dd>
  </dl></section>`;
}
