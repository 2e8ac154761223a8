/** The page Health. */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { formatBytes } from '../../../kit/web/browser/components/format-figures.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { Time } from '../../../kit/web/browser/components/time.ts';
import { html } from '../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../kit/web/browser/page-data.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import { addressOf } from '../../../kit/web/browser/start.ts';
import type { FindingsAnswer, HealthAnswer } from '../health-answers.ts';
import { DiskSection } from './disk-section.ts';
import { EgressSection } from './egress-section.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Answer = z.infer<typeof HealthAnswer>;

const CHANGING = new Set(['worker.started', 'worker.stopped', 'policy.loaded', 'sandbox.chosen', 'ledger.disk_full']);

export const isChangedBy = ({ type }: LedgerEvent): boolean => CHANGING.has(type);

export default function HealthView({ data }: ViewProps<Answer>): VNode {
  return html`<h1>Health</h1>
    ${data.history_problem === null ? null : html`<p class="problem history-problem">${data.history_problem.what} <span class="fix">${data.history_problem.fix}</span></p>`}
    ${data.rules_problem === null ? null : html`<p class="problem rules-problem">${data.rules_problem}</p>`}
    <div class="columns">
      <${HomeSection} data=${data} />
      <${FindingsSection} />
    </div>
    <${EgressSection} />
    <${DiskSection} />`;
}

const STATES: Readonly<Record<Answer['state'], string>> = {
  running: t('works'),
  paused: t('works; no new task begins until: oka unpause'),
  stopped: t('stopped: nothing runs until .oka/STOP is removed, or a stopped fleet resumes'),
  silent: t('does not respond'),
  none: t('is not running. Start it: oka up'),
};

function HomeSection({ data }: { data: Answer }): VNode {
  const { version, node, dir, state, worker, disk, ledgers, sandbox, model, files } = data;
  return html`<section class="card" aria-labelledby="home">
    <h2 id="home">This home</h2>
    <dl class="facts">
      <dt>Worker</dt><dd>${STATES[state]}${worker === null ? null : html`<br /><small>process ${worker.pid} on ${worker.host} since <${Time} at=${worker.since} /></small>`}</dd>
      <dt>Version</dt><dd class="number">oka ${version}, Node ${node}</dd>
      <dt>Folder</dt><dd><code>${dir}</code></dd>
      <dt>Model</dt><dd>${model ?? html`<span class="soft">none set; runbooks need none</span>`}</dd>
      <dt>Commands</dt><dd>${describeSandbox(sandbox)}</dd>
      <dt>Disk</dt><dd class="number">${disk === null ? t('unknown') : t('{} of {} free', formatBytes(disk.free), formatBytes(disk.total))}</dd>
      <dt>Ledgers</dt><dd class="number">${formatBytes(ledgers.run + ledgers.maintenance)}</dd>
      <dt>Settings</dt><dd><code>${files.config}</code> · <a href=${addressOf('/settings')}>Settings</a></dd>
    </dl>
  </section>`;
}

function describeSandbox(sandbox: Answer['sandbox']): ComponentChildren {
  if (sandbox === null) return html`<span class="soft">not known before the first worker</span>`;
  const { kind, landlock, reason } = sandbox;
  if (kind === 'none') return html`<span class="tag warn">not sandboxed</span> ${reason}`;
  return t('sandboxed by the kernel{}: {}', landlock > 0 ? t(' (Landlock {})', landlock) : '', reason);
}

const MARKS = { good: '✓', odd: '!', bad: '✕' } as const;
const WORDS = { good: t('good'), odd: t('worth a check'), bad: t('broken') } as const;

function FindingsSection(): VNode {
  const [turn, setTurn] = useState(0);
  const found = useQuery<z.infer<typeof FindingsAnswer>>('findings', {}, turn);
  return html`<section class="card" aria-labelledby="findings">
    <div class="row apart"><h2 id="findings">What oka doctor finds</h2><button type="button" onClick=${() => setTurn(turn + 1)}>Examine again</button></div>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Examining…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<p>${found.data.healthy ? t('Everything needed is working.') : t('Something needs your attention.')}</p>
              <${FindingList} findings=${found.data.findings.filter(({ state }) => state !== 'good')} />
              <details>
                <summary>${describeGood(found.data.findings.filter(({ state }) => state === 'good').length)}</summary>
                <${FindingList} findings=${found.data.findings.filter(({ state }) => state === 'good')} />
              </details>
              <p class="soft">As the process of the dashboard sees it. With a check of every line: <code>oka doctor --deep</code></p>`
    }
  </section>`;
}

const describeGood = (many: number): string => (many === 1 ? t('1 thing is good') : t('{} things are good', many));

type Finding = z.infer<typeof FindingsAnswer>['findings'][number];

function FindingList({ findings }: { findings: readonly Finding[] }): VNode {
  const broken = findings.filter(({ state }) => state === 'bad');
  const others = findings.filter(({ state }) => state !== 'bad');
  return html`<ul class="findings">${[...broken, ...others].map(
    ({ state, what, found, fix }) => html`<li class=${`finding ${state}`}>
      <span class="mark" aria-hidden="true">${MARKS[state]}</span><span class="hidden">${WORDS[state]}</span>
      <span><strong>${what}</strong> ${found}${fix === undefined ? null : html`<br /><span class="fix">${fix}</span>`}</span>
    </li>`,
  )}</ul>`;
}
