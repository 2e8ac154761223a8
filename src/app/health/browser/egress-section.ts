/** Where commands wanted to go, by host, and the latest decisions with their runs. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { formatCount } from '../../../kit/web/browser/components/format-figures.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { Time } from '../../../kit/web/browser/components/time.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import { addressOf } from '../../../kit/web/browser/start.ts';
import type { EgressAnswer } from '../health-answers.ts';

export function EgressSection(): VNode {
  const [before, setBefore] = useState<number | null>(null);
  const found = useQuery<z.infer<typeof EgressAnswer>>('egress', { before });
  return html`<section class="card" aria-labelledby="egress">
    <h2 id="egress">Where commands went</h2>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Reading…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<${Decisions} data=${found.data} onOlder=${setBefore} isOlder=${before !== null} />`
    }
  </section>`;
}

type Props = { data: z.infer<typeof EgressAnswer>; onOlder: (before: number | null) => void; isOlder: boolean };

function Decisions({ data: { hosts, decisions, next }, onOlder, isOlder }: Props): VNode {
  if (hosts.length === 0)
    return html`<p class="soft">No command has asked for the network yet. Each attempt will be listed here, also those that are refused.</p>`;
  return html`<div class="scroll"><table>
      <caption class="hidden">Hosts that commands asked for</caption>
      <thead><tr><th>Host</th><th class="number">Allowed</th><th class="number">Refused</th><th>Last</th><th>Runs</th></tr></thead>
      <tbody>${hosts.map(
        ({ host, port, allowed, refused, last, reason, runs }) => html`<tr>
          <td title=${reason}>${host}:${port}</td>
          <td class="number">${formatCount(allowed)}</td>
          <td class="number">${refused === 0 ? '0' : html`<span class="verdict deny">${formatCount(refused)}</span>`}</td>
          <td><${Time} at=${last} /></td>
          <td>${runs
            .slice(-3)
            .toReversed()
            .map((run) => html`<a href=${addressOf(`/runs/${run}`)}>${run}</a> `)}</td>
        </tr>`,
      )}</tbody>
    </table></div>
    <details open=${isOlder}>
      <summary>The latest decisions</summary>
      <ul class="decisions">${decisions.map(
        ({ seq, at, run, host, port, verdict, reason }) => html`<li>
          <a href=${addressOf(`/ledger?pen=run&seq=${seq}`)}><${Time} at=${at} /></a>
          <span class=${`verdict ${verdict === 'allowed' ? 'allow' : 'deny'}`}>${verdict}</span>
          ${host}:${port} <small>${reason}</small>
          ${run === null ? null : html` <a href=${addressOf(`/runs/${run}`)}>${run}</a>`}
        </li>`,
      )}</ul>
      <p class="row">
        ${isOlder ? html`<button type="button" onClick=${() => onOlder(null)}>Newest</button>` : null}
        ${next === null ? null : html`<button type="button" onClick=${() => onOlder(next)}>Older</button>`}
      </p>
    </details>`;
}
