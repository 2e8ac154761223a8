/** "Why did this cost?": a day by its runs, and a run by its steps and calls. */
import type { VNode } from 'preact';
import type { z } from 'zod';
import { Problem } from '../../../../kit/web/browser/components/problem-box.ts';
import { countOf, formatCount, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { formatDuration, Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { useQuery } from '../../../../kit/web/browser/query-data.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { SpendDayAnswer, SpendRunAnswer } from '../figure-answers.ts';
import { formatDay } from './figure-format.ts';

type Spent = { usd: number; tokens_in: number; tokens_out: number };
type Href = (params: Record<string, string | null>) => string;

export function CostOfDay({ date, href }: { date: string; href: Href }): VNode {
  const found = useQuery<z.infer<typeof SpendDayAnswer>>('spend-day', { date });
  if (found.state === 'reading') return html`<p class="soft">Reading…</p>`;
  if (found.state === 'failed') return html`<${Problem} error=${found.error} />`;
  const { spent, runs, more } = found.data;
  if (runs.length === 0) return html`<p>No model was asked on ${formatDay(date)}.</p>`;
  return html`<p>${costOf(spent)} for ${countOf(spent.calls, 'answer')} of ${Object.keys(spent.models).join(', ')}.</p>
    <div class="scroll"><table>
      <caption class="hidden">What ${date} cost, by run</caption>
      <thead><tr><th>Run</th><th>Models</th><th class="number">Tokens</th><th class="number">Cost</th></tr></thead>
      <tbody>${runs.map(
        ({ run, title, models, ...rest }) => html`<tr>
          <td><a href=${href({ cost_run: run ?? MAINTENANCE })}>${title}</a></td>
          <td>${Object.keys(models).join(', ')}</td>
          <td class="number">${formatCount(rest.tokens_in + rest.tokens_out)}</td>
          <td class="number">${formatMoney(rest.usd)}</td>
        </tr>`,
      )}</tbody>
    </table></div>
    ${more === 0 ? null : html`<p class="soft">And ${formatCount(more)} cheaper ones.</p>`}`;
}

/** In the address: what maintenance asked for on its own account. */
const MAINTENANCE = '-';

export function CostOfRun({ run }: { run: string }): VNode {
  const found = useQuery<z.infer<typeof SpendRunAnswer>>('spend-run', run === MAINTENANCE ? {} : { run });
  if (found.state === 'reading') return html`<p class="soft">Reading…</p>`;
  if (found.state === 'failed') return html`<${Problem} error=${found.error} />`;
  const { title, spent, steps, more } = found.data;
  const pen = found.data.run === null ? 'maintenance' : 'run';
  return html`<p>${
    found.data.run === null ? title : html`<a href=${addressOf(`/runs/${found.data.run}`)}>${title}</a>`
  }: ${costOf(spent)}, ${countOf(spent.calls, 'answer')}</p>
    ${steps.map(
      (step) => html`<details open=${steps.length === 1}>
        <summary>${step.title} <span class="soft number">${costOf(step)}, ${countOf(step.calls, 'answer')}</span></summary>
        <div class="scroll"><table>
          <thead><tr><th>When</th><th>Model</th><th class="number">In</th><th class="number">Out</th><th class="number">Took</th><th class="number">Cost</th></tr></thead>
          <tbody>${step.answers.map(
            ({ seq, at, model, tokens_in, tokens_out, ms, usd }) => html`<tr>
              <td><a href=${addressOf(`/ledger?pen=${pen}&seq=${seq}`)}><${Time} at=${at} /></a></td>
              <td>${model}</td>
              <td class="number">${formatCount(tokens_in)}</td>
              <td class="number">${formatCount(tokens_out)}</td>
              <td class="number">${ms === null ? '–' : formatDuration(ms)}</td>
              <td class="number">${formatMoney(usd)}</td>
            </tr>`,
          )}</tbody>
        </table></div>
      </details>`,
    )}
    ${more ? html`<p class="soft">Only the first 2,000 answers are shown.</p>` : null}`;
}

/** Tokens alone where the price of the model is not known. */
function costOf({ usd, tokens_in, tokens_out }: Spent): string {
  const tokens = countOf(tokens_in + tokens_out, 'token');
  return usd > 0 ? `${formatMoney(usd)} (${tokens})` : tokens;
}
