/** A member of the fleet: what it has, what it does, and whether it takes tasks. */
import type { VNode } from 'preact';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { FleetAnswer } from '../fleet-answers.ts';
import { orderMember } from './order-buttons.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Member = NonNullable<FleetAnswer['fleet']>['members'][number];

/** `here` is the member of this home: only its runs have a page in this dashboard. */
export function MemberCard({ member, here, isSilent }: { member: Member; here: string; isSilent: boolean }): VNode {
  const { name, version, labels, slots, doing, fenced, at, state, isDrained } = member;
  const running = doing.filter(({ status }) => status === 'running').length;
  return html`<article class=${isSilent ? 'card stack attention' : 'card stack'} aria-label=${name}>
    <div class="row apart">
      <div>
        <h3>${name} ${name === here ? html`<span class="tag">this home</span> ` : null}${stateTag(state, isSilent)}</h3>
        <p class="soft">${running} of ${slots} slots · ${labels.length === 0 ? t('no labels') : labels.join(', ')} · version ${version} · ${fenced} fenced · reported <${Time} at=${at} /></p>
      </div>
      ${start.rights === 'all' ? html`<${OrderButton} name=${name} isDrained=${isDrained} />` : null}
    </div>
    ${doing.length === 0 ? html`<p class="soft">Nothing in progress.</p>` : html`<${Doing} member=${member} isHere=${name === here} />`}
  </article>`;
}

function Doing({ member: { doing }, isHere }: { member: Member; isHere: boolean }): VNode {
  return html`<ul class="fleet-doing">
    ${doing.map(
      ({ run, title, status, step, waits }) => html`<li key=${run}>
        <${Status} status=${status} /> ${isHere ? html`<a href=${addressOf(`/runs/${run}`)}>${title}</a>` : title}${' '}
        <small>${waits === null ? step : t('waits for {}', waits)}</small>
      </li>`,
    )}
  </ul>`;
}

function stateTag(state: Member['state'], isSilent: boolean): VNode {
  if (isSilent) return html`<span class="tag warn">silent</span>`;
  return html`<span class=${state === 'working' ? 'tag' : 'tag warn'}>${t(state)}</span>`;
}

function OrderButton({ name, isDrained }: { name: string; isDrained: boolean }): VNode {
  return isDrained
    ? html`<button type="button" onClick=${() => orderMember('work', name)}>Let ${name} take tasks…</button>`
    : html`<button type="button" onClick=${() => orderMember('drain', name)}>Drain ${name}…</button>`;
}
