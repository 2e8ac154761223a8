/** The page Fleet. What members say about themselves is shown as text. */
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { countOf, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { Elapsed, Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { FleetAnswer } from '../fleet-answers.ts';
import { MemberCard } from './member-card.ts';
import { orderAll } from './order-buttons.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Fleet = NonNullable<FleetAnswer['fleet']>;

/** Members report without an event in this ledger, every five seconds. */
const RELOAD_MS = 2500;

export const isChangedBy = ({ type }: LedgerEvent): boolean => /^(fleet\.|task\.|run\.(claimed|fenced))/.test(type);

export default function FleetView({ data, reload }: ViewProps<FleetAnswer>): VNode {
  useEffect(() => {
    const timer = setInterval(reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  const { fleet, is_current: isCurrent, silent } = data;
  if (fleet === null)
    return html`<h1>Fleet</h1>
      <${Empty} title="This home works alone.">
        <p>Several homes share one inbox when their workers know the same message servers: <code>OKA_FLEET=nats://a:4222 oka up</code></p>
      <//>`;
  return html`<div class="row apart fleet-top"><h1>Fleet</h1>${start.rights === 'all' ? html`<${StopButton} fleet=${fleet} />` : null}</div>
    ${isCurrent ? null : html`<p class="warning" role="status">This is what the worker of this home saw at <${Time} at=${fleet.at} />. It is not running, or the message servers do not answer.</p>`}
    ${fleet.stopped === null ? null : html`<p class="warning" role="status">The fleet was stopped at ${fleet.stopped.by}, <${Time} at=${fleet.stopped.at} />: nothing runs at any member.</p>`}
    <div class="columns">
      <${Queue} fleet=${fleet} />
      <${Servers} fleet=${fleet} />
    </div>
    <h2 class="fleet-heading">${countOf(fleet.members.length, 'member')}</h2>
    <div class="stack">
      ${fleet.members.map((member) => html`<${MemberCard} key=${member.name} member=${member} here=${fleet.member} isSilent=${silent.includes(member.name)} />`)}
    </div>
    <${Sent} fleet=${fleet} />`;
}

function StopButton({ fleet: { stopped } }: { fleet: Fleet }): VNode {
  return stopped === null
    ? html`<button type="button" class="danger" onClick=${() => orderAll('stop')}>Stop the fleet…</button>`
    : html`<button type="button" class="primary" onClick=${() => orderAll('resume')}>Resume the fleet…</button>`;
}

function Queue({ fleet: { queue, oldest, members } }: { fleet: Fleet }): VNode {
  const sum = (count: (each: Fleet['queue'][number]) => number): string =>
    formatCount(queue.reduce((total, each) => total + count(each), 0));
  const labelled = queue.filter(({ needs }) => needs.length > 0);
  return html`<section class="card" aria-labelledby="queue">
    <h2 id="queue">Queue</h2>
    <dl class="facts">
      <dt>Waiting</dt><dd class="number">${sum(({ waiting }) => waiting)}</dd>
      <dt>Taken</dt><dd class="number">${sum(({ taken }) => taken)}</dd>
      ${oldest === null ? null : html`<dt>Oldest</dt><dd>since <${Elapsed} from=${oldest} /></dd>`}
      ${labelled.map(({ needs, waiting, taken }) => html`<dt>Needs ${needs.join(', ')}</dt><dd class="number">${formatCount(waiting)} waiting, ${formatCount(taken)} taken${whoCould(members, needs)}</dd>`)}
    </dl>
  </section>`;
}

const whoCould = (members: Fleet['members'], needs: readonly string[]): string =>
  members.some(({ labels }) => needs.every((need) => labels.includes(need))) ? '' : t('; no member has these labels');

function Servers({ fleet: { servers, replicas, members } }: { fleet: Fleet }): VNode {
  const fenced = members.reduce((total, each) => total + each.fenced, 0);
  return html`<section class="card" aria-labelledby="servers">
    <h2 id="servers">Message servers</h2>
    <dl class="facts">
      <dt>Servers</dt><dd class="fleet-wrap">${servers.join(', ')}</dd>
      ${replicas.map(({ name, isCurrent, lag }) => html`<dt>${name}</dt><dd>${isCurrent ? t('follows the leader') : html`<span class="tag warn">behind</span>`}${lag === 0 ? '' : t(', lag {}', formatCount(lag))}</dd>`)}
      <dt>Fenced</dt><dd>${countOf(fenced, 'run')} lost to another member, <a href=${addressOf('/ledger?type=run.fenced')}>those of this home</a></dd>
    </dl>
  </section>`;
}

/** Tasks of this home that have not come back. */
function Sent({ fleet: { sent } }: { fleet: Fleet }): VNode | null {
  if (sent.length === 0) return null;
  return html`<section class="card fleet-sent" aria-labelledby="sent">
    <h2 id="sent">Given away by this home</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Tasks given away"><table>
      <thead><tr><th scope="col">Task</th><th scope="col">Where</th><th scope="col">What is done</th></tr></thead>
      <tbody>${sent.map(
        ({ run, at, progress }) => html`<tr key=${run}>
          <td>${run}</td><td>${at ?? t('in the queue')}</td>
          <td>${progress === null ? '–' : progress.waits === null ? (progress.step ?? t(progress.status)) : t('waits for {}', progress.waits)}</td>
        </tr>`,
      )}</tbody>
    </table></div>
  </section>`;
}
