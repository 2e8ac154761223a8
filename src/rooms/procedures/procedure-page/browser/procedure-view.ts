/** One procedure: why it is used or not, its numbers, the tasks behind them, and what it does. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { submit } from '../../../../kit/web/browser/api.ts';
import { formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { Markdown } from '../../../../kit/web/browser/components/markdown.ts';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { attempt } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { ProcedureAnswer } from '../../page/procedure-answers.ts';
import { Trend } from '../../page/browser/procedure-trend.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export const isChangedBy = ({ type }: LedgerEvent): boolean =>
  /^(procedure\.|change\.|run\.(ended|corrected|undone))/.test(type);

export default function ProcedureView({ data }: ViewProps<ProcedureAnswer>): VNode {
  const { procedure, title, version, status, forced, probation, since, reason, trend, missing } = data;
  return html`
    <p class="no-print"><a href=${addressOf('/memory/procedures')}>← All procedures</a></p>
    <header class="row apart">
      <div><h1>${title}</h1><p class="soft">${procedure}, version ${version}</p></div>
      ${start.rights === 'all' ? html`<${Buttons} data=${data} />` : null}
    </header>
    <dl class="facts">
      <dt>Status</dt><dd>${t(status)}${forced ? t(', set by you, overriding the numbers') : probation ? t(', on probation: the critic judges its uses') : ''}${since === null ? '' : html`, since <${Time} at=${since} />`}</dd>
      <dt>Why</dt><dd>${reason === '' ? t('it was not judged yet') : reason}</dd>
      ${missing.length === 0 ? null : html`<dt>Missing</dt><dd>${missing.join('; ')}</dd>`}
      <dt>Last uses</dt><dd><${Trend} trend=${trend} /></dd>
    </dl>
    <div class="columns">
      <${Numbers} numbers=${data.now ?? data.numbers} />
      <${Moves} moves=${data.moves} />
      <${Uses} uses=${data.uses} evidence=${data.evidence} from=${data.from} />
    </div>
    <section><h2>What it does</h2><${Markdown} text=${withoutTitle(data.page)} /></section>`;
}

const withoutTitle = (page: string): string => page.replace(/^# .*\n+/, '');

function Buttons({ data: { procedure, status } }: { data: ProcedureAnswer }): VNode {
  const isRequested = useSignal(false);
  const request = async (to: 'promoted' | 'demoted' | 'retired', yes: string, text: string): Promise<void> => {
    if (!(await askConfirmation({ title: `${yes}?`, content: html`<p>${text}</p>`, yes }))) return;
    const intake = { kind: 'procedure', procedure, to, reason: '' } as const;
    isRequested.value = await attempt(
      () => submit(intake),
      t('Requested: it happens at the next pass of maintenance.'),
    );
  };
  if (isRequested.value) return html`<span class="tag">requested</span>`;
  return html`<div class="row no-print">
    ${
      status === 'promoted'
        ? html`<button type="button" onClick=${() => request('demoted', t('No longer use it'), t('Tasks like these are planned by a model again.'))}>No longer use it…</button>`
        : html`<button type="button" onClick=${() => request('promoted', t('Use it'), t('It is used for tasks like these from now on, whatever its numbers say.'))}>Use it…</button>`
    }
    ${status === 'retired' ? null : html`<button type="button" class="quiet" onClick=${() => request('retired', t('Retire it'), t('It is no longer tried, and no longer shown here.'))}>Retire…</button>`}
  </div>`;
}

function Numbers({ numbers }: { numbers: ProcedureAnswer['numbers'] }): VNode {
  if (numbers === null) return html`<section><h2>Numbers</h2><p class="soft">Not judged yet.</p></section>`;
  const row = (name: string, { runs, fine, seconds, tokens }: typeof numbers.with): VNode =>
    html`<tr><th scope="row">${name}</th><td class="number">${t('{} of {}', fine, runs)}</td><td class="number">${seconds === null ? '–' : `${Math.round(seconds)} s`}</td><td class="number">${tokens === null ? '–' : formatCount(Math.round(tokens))}</td></tr>`;
  return html`<section><h2>Numbers</h2>
    <table><thead><tr><td></td><th scope="col" class="number">Went well</th><th scope="col" class="number">Time</th><th scope="col" class="number">Tokens</th></tr></thead>
      <tbody>${row(t('With it'), numbers.with)}${row(t('Without it'), numbers.without)}</tbody></table>
    <p><small>${numbers.successes} independent successes; compared ${numbers.wins} better, ${numbers.losses} worse; evidence ${Math.round(numbers.e_value * 100) / 100}; ${numbers.contradictions} recent contradictions.</small></p>
  </section>`;
}

function Moves({ moves }: { moves: ProcedureAnswer['moves'] }): VNode {
  return html`<section><h2>Why it has this status</h2>
    ${moves.length === 0 ? html`<p class="soft">It was not judged yet.</p>` : null}
    <ol reversed>${moves.map(
      ({ seq, at, from, to, by, reason }) =>
        html`<li key=${seq}><a href=${addressOf(`/ledger?pen=maintenance&seq=${seq}`)}><${Time} at=${at} /></a>: ${t(from ?? 'new')} → ${t(to)}${by === 'person' ? t(', by you') : ''}<br /><small>${reason}</small></li>`,
    )}</ol>
  </section>`;
}

const ARMS: Readonly<Record<ProcedureAnswer['uses'][number]['arm'], string>> = {
  used: t('used'),
  trial: t('tried'),
  held_back: t('left out, to compare'),
  offered: t('shown to the planner'),
};

function Uses({ uses, evidence, from }: Pick<ProcedureAnswer, 'uses' | 'evidence' | 'from'>): VNode {
  return html`<section><h2>Tasks behind it</h2>
    ${from === null ? null : html`<p><small>Shared by ${from}, a member of the fleet</small></p>`}
    <p><small>${evidence.length === 0 ? t('No run here has had the plan that it gives') : `${t('Made from')} `}${evidence.map(({ run, seq }, at) => html`${at === 0 ? '' : ', '}<a href=${addressOf(run === null ? `/ledger?pen=run&seq=${seq}` : `/runs/${run}`)}>${run ?? t('event {}', seq)}</a>`)}</small></p>
    ${
      uses.length === 0
        ? null
        : html`<table><thead><tr><th scope="col">Task</th><th scope="col">How</th><th scope="col">Ended</th></tr></thead><tbody>
          ${uses.map(({ run, seq, at, arm, ended }) => html`<tr key=${seq}><td><a href=${addressOf(`/runs/${run}`)}>${run}</a><br /><small><${Time} at=${at} /></small></td><td>${ARMS[arm]}</td><td>${ended === null ? t('in progress') : t(ended)}</td></tr>`)}
        </tbody></table>`
    }
  </section>`;
}
