/** The page Figures. What is opened (a point, a day, a run) is in the address, so that it can be linked and gone back from. */
import type { VNode } from 'preact';
import type { z } from 'zod';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { countOf, formatCount, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { Problem } from '../../../../kit/web/browser/components/problem-box.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { queryString } from '../../../../kit/web/browser/api.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { useQuery } from '../../../../kit/web/browser/query-data.ts';
import { navigate, setParams } from '../../../../kit/web/browser/router.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { FigureRunsAnswer, FiguresAnswer } from '../figure-answers.ts';
import { CostOfDay, CostOfRun } from './cost-panel.ts';
import { DayChart } from './day-chart.ts';
import { formatDay, formatFigure } from './figure-format.ts';
import { sayNumbers, t } from '../../../../kit/web/browser/words.ts';

type Answer = z.infer<typeof FiguresAnswer>;
type Params = Readonly<Record<string, string>>;

const RANGES = [7, 30, 90, 365];
const CHANGING = new Set(['run.ended', 'run.corrected', 'run.undone', 'call.ended', 'run.started']);

export const isChangedBy = ({ type }: LedgerEvent): boolean => CHANGING.has(type);

export const keys = RANGES.map((days, index) => ({
  key: String(index + 1),
  does: t('The last {} days', days),
  run: () => setParams({ days }),
}));

export default function FiguresView({ data, params }: ViewProps<Answer>): VNode {
  const { tasks, total, today } = data;
  return html`<div class="row apart">
      <h1>Figures</h1>
      <label>Days <select value=${String(data.days.length)} onChange=${(event: Event) => setParams({ days: (event.target as HTMLSelectElement).value })}>
        ${[...new Set([...RANGES, data.days.length])].toSorted((a, b) => a - b).map((days) => html`<option value=${String(days)}>${days}</option>`)}
      </select></label>
    </div>
    <${Today} today=${today} total=${total} days=${data.days.length} />
    ${
      tasks === 0 && total.calls === 0
        ? html`<${Empty} title="Nothing to measure in these days.">
            <p>Figures begin with the first task that ends. Give oka one on the page <a href=${addressOf('/')}>Now</a>.</p>
          <//>`
        : html`<${Cost} data=${data} params=${params} /><${Charts} data=${data} params=${params} />`
    }`;
}

function Today({ today, total, days }: { today: Answer['today']; total: Answer['total']; days: number }): VNode {
  const { spent } = today;
  return html`<dl class="facts">
    <dt>Today</dt>
    <dd class="number">${formatMoney(spent.usd)}, ${countOf(spent.tokens_in + spent.tokens_out, 'token')}</dd>
    <dt>Left today</dt>
    <dd class="number">${leftOf(today) ?? html`<span class="soft">no limit for a day (day_budget in POLICY.md); each run has its own</span>`}</dd>
    <dt>${countOf(days, 'day')}</dt>
    <dd class="number">${formatMoney(total.usd)}, ${countOf(total.tokens_in + total.tokens_out, 'token')}</dd>
  </dl>`;
}

function leftOf({
  limit_usd,
  left_usd,
  limit_tokens,
  left_tokens,
  limit_calls,
  left_calls,
}: Answer['today']): string | null {
  const parts = [
    limit_usd === null ? [] : [t('{} of {}', formatMoney(left_usd ?? 0), formatMoney(limit_usd))],
    limit_tokens === null ? [] : [t('{} of {} tokens', formatCount(left_tokens ?? 0), formatCount(limit_tokens))],
    limit_calls === null ? [] : [t('{} of {} calls of models', formatCount(left_calls ?? 0), formatCount(limit_calls))],
  ].flat();
  return parts.length === 0 ? null : parts.join(', ');
}

function Cost({ data, params }: { data: Answer; params: Params }): VNode {
  const { days, spend, total } = data;
  const { cost, cost_run: run } = params;
  const models = Object.entries(total.models).toSorted(([, a], [, b]) => b.usd - a.usd || b.tokens_in - a.tokens_in);
  const isMoney = total.usd > 0;
  const valueOf = (spent: { usd: number; tokens_in: number; tokens_out: number } | undefined): number =>
    spent === undefined ? 0 : isMoney ? spent.usd : spent.tokens_in + spent.tokens_out;
  const series = models.slice(0, 5).map(([name]) => ({ name, values: spend.map((day) => valueOf(day.models[name])) }));
  const format = (value: number | null): string => formatFigure(value, isMoney ? 'usd' : 'tokens');
  const open = (date: string): void => navigate(hrefWith(params, { cost: date, cost_run: null }));
  return html`<section class="card" aria-labelledby="cost">
    <h2 id="cost">Cost by day and model</h2>
    ${
      total.calls === 0
        ? html`<p class="soft">No model was asked in these days: runbooks cost nothing.</p>`
        : html`<${DayChart} label="Cost by day and model; the numbers are in the table below" days=${days} series=${series} format=${format} onDay=${open} />
          <p class="legend">${series.map(({ name }, index) => html`<span class=${`key key-${index}`}>${name}</span>`)}</p>
          <details>
            <summary>Numbers</summary>
            <div class="scroll"><table>
              <thead><tr><th>Day (UTC)</th>${models.map(([name]) => html`<th class="number">${name}</th>`)}<th class="number">Together</th></tr></thead>
              <tbody>${days
                .map((date, n) => ({ date, day: spend[n] }))
                .filter(({ day }) => (day?.calls ?? 0) > 0)
                .toReversed()
                .map(
                  ({ date, day }) => html`<tr>
                    <td><a href=${addressOf(hrefWith(params, { cost: date, cost_run: null }))}>${date}</a></td>
                    ${models.map(([name]) => html`<td class="number">${format(valueOf(day?.models[name]))}</td>`)}
                    <td class="number">${format(valueOf(day))}</td>
                  </tr>`,
                )}</tbody>
            </table></div>
          </details>`
    }
    ${cost === undefined && run === undefined ? null : html`<${WhyCost} params=${params} />`}
  </section>`;
}

function WhyCost({ params }: { params: Params }): VNode {
  const { cost, cost_run: run } = params;
  const href = (changed: Record<string, string | null>): string => addressOf(hrefWith(params, changed));
  return html`<div class="panel" role="region" aria-label="Why did this cost?">
    <div class="row apart">
      <h3>Why did this cost?</h3>
      <span class="row">
        ${run === undefined || cost === undefined ? null : html`<a href=${href({ cost_run: null })}>All of ${formatDay(cost)}</a>`}
        <a href=${href({ cost: null, cost_run: null })}>Close</a>
      </span>
    </div>
    ${run === undefined ? html`<${CostOfDay} key=${cost} date=${cost} href=${href} />` : html`<${CostOfRun} key=${run} run=${run} />`}
  </div>`;
}

/** What a person cares about first: does it work at once, how often does it ask, what does it cost. */
const FIRST = ['first try', 'approvals', 'spend'];

/** A line through fewer points than these shows nothing. */
const FEWEST_POINTS = 5;

function Charts({ data: { figures, days }, params }: { data: Answer; params: Params }): VNode {
  const cards = (shown: Answer['figures']): VNode =>
    html`<div class="figures">${shown.map((figure) => html`<${FigureCard} key=${figure.name} figure=${figure} days=${days} params=${params} />`)}</div>`;
  const first = FIRST.flatMap((name) => figures.find((each) => each.name === name) ?? []);
  const others = figures.filter((each) => !first.includes(each));
  const isOpen = others.some(({ name }) => name === params['figure']);
  return html`${cards(first)}<details class="more" open=${isOpen}><summary>More figures</summary>${cards(others)}</details>`;
}

function FigureCard({
  figure,
  days,
  params,
}: {
  figure: Answer['figures'][number];
  days: string[];
  params: Params;
}): VNode {
  const { name, unit, value, of, days: values } = figure;
  const isOpen = params['figure'] === name;
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const dayUnit = name === 'pack growth' ? 'tokens' : unit;
  const open = (day: string | null): string => hrefWith(params, { figure: name, day });
  const known = days.flatMap((date, n) =>
    values[n] === null || values[n] === undefined ? [] : [{ date, value: values[n] }],
  );
  return html`<section class="card" aria-label=${t(name)}>
    <div class="row apart"><h2>${capital(t(name))}</h2><strong class="number">${formatFigure(value, unit)}</strong></div>
    <p class="soft">${sayNumbers(of)}</p>
    ${
      known.length < FEWEST_POINTS
        ? null
        : html`<${DayChart} label=${t('{} by day; the numbers are in the table below', capital(t(name)))} days=${days} series=${[{ name: t(name), values }]}
            format=${(each: number | null) => formatFigure(each, dayUnit)} onDay=${(date: string) => navigate(open(date))} />`
    }
    <div class="row">
      ${value === null ? null : html`<a href=${addressOf(open(null))}>Runs behind it</a>`}
    </div>
    ${
      known.length === 0
        ? null
        : html`<details><summary>Numbers</summary><table>
            <thead><tr><th>Day (UTC)</th><th class="number">${capital(t(name))}</th></tr></thead>
            <tbody>${known.toReversed().map(({ date, value: each }) => html`<tr><td><a href=${addressOf(open(date))}>${date}</a></td><td class="number">${formatFigure(each, dayUnit)}</td></tr>`)}</tbody>
          </table></details>`
    }
    ${isOpen ? html`<${RunsBehind} name=${name} from=${params['day'] ?? first} to=${params['day'] ?? last} close=${addressOf(hrefWith(params, { figure: null, day: null }))} />` : null}
  </section>`;
}

function RunsBehind({ name, from, to, close }: { name: string; from: string; to: string; close: string }): VNode {
  const found = useQuery<z.infer<typeof FigureRunsAnswer>>('figure-runs', { figure: name, from, to });
  const when = from === to ? formatDay(from) : t('{} to {}', formatDay(from), formatDay(to));
  return html`<div class="panel" role="region" aria-label=${t('Runs behind {}', t(name))}>
    <div class="row apart"><h3>${when}</h3><a href=${close}>Close</a></div>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Reading…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<p class="soft">${sayNumbers(found.data.of)}</p>
              ${
                found.data.runs.length === 0
                  ? html`<p>No run stands out here.</p>`
                  : html`<ul class="runs">${found.data.runs.map(
                      ({ run, title, status, usd }) =>
                        html`<li><a href=${addressOf(`/runs/${run}`)}>${title}</a> ${status === null ? null : html`<${Status} status=${status} />`} ${usd === 0 ? null : html`<span class="soft number">${formatMoney(usd)}</span>`}</li>`,
                    )}</ul>`
              }`
    }
  </div>`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The address of this page with some parameters changed; null removes one. */
function hrefWith(params: Params, changed: Record<string, string | null>): string {
  return `/figures${queryString({ ...params, ...changed })}`;
}
