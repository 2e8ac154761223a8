/** Every call with what it was given, what it returned, why it was made, and what it cost. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../../../../kit/web/browser/api.ts';
import { countOf, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { formatDuration, Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressWithTicket } from '../../../../kit/web/browser/session-key.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { RunCall } from '../../../../kit/views/run-calls.ts';
import { useGrowingList } from './growing-list.ts';
import { JsonTree } from '../../../../kit/web/browser/components/json-tree.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Call = RunCall & { is_shortened: boolean };

const SHOWN = 50;

type ListProps = { run: string; node: string | null; last: number; isOver: boolean };

export function CallList({ run, node, last, isOver }: ListProps): VNode {
  const { rows, isComplete } = useGrowingList<Call>('run-calls', run, 'calls', ({ call }) => call, { last });
  const [most, setMost] = useState(SHOWN);
  const [tool, setTool] = useState('');
  const tools = [...new Set(rows.map((row) => row.tool))].toSorted();
  const matching = rows.filter((row) => (node === null || row.node === node) && (tool === '' || row.tool === tool));
  const shown = matching.slice(-most);
  return html`<div class="stack">
    <div class="row no-print">
      <label>Tool <select value=${tool} onChange=${(event: Event) => setTool((event.target as HTMLSelectElement).value)}><option value="">all</option>${tools.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>
      ${node !== null && html`<span>Only of step <strong>${node}</strong>. <a href=${addressOf(`/runs/${run}`)}>Show all</a></span>`}
      <span class="soft number" role="status">${countOf(matching.length, 'call')}${isComplete ? '' : t(', reading …')}</span>
    </div>
    ${matching.length > most && html`<button type="button" onClick=${() => setMost(most + 200)}>Show ${Math.min(200, matching.length - most)} earlier calls</button>`}
    <div class="calls">${shown.map((call) => html`<${CallRow} key=${call.call} run=${run} call=${call} isOver=${isOver} />`)}</div>
    ${isComplete && matching.length === 0 && html`<p class="soft">No calls yet.</p>`}
  </div>`;
}

function CallRow({ run, call, isOver }: { run: string; call: Call; isOver: boolean }): VNode {
  const [isOpen, setOpen] = useState(false);
  const { tool, status, node, started, ms, rationale, error, usage } = call;
  return html`<details onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary>
      <${Status} status=${status === 'ok' ? 'done' : status === 'open' ? 'running' : status} word=${status === 'waiting' && isOver ? t('waited') : undefined} />
      <code>${tool}</code>
      <span class="soft">${node ?? t('within a step')}</span>
      <span class="grow one-line">${describeInput(call)}</span>
      <span class="soft number">${ms === null ? html`<${Time} at=${started} />` : formatDuration(ms)}${usage.usd === undefined || usage.usd === 0 ? '' : ` · ${formatMoney(usage.usd)}`}</span>
    </summary>
    ${
      isOpen &&
      html`<div class="call-body stack">
      ${rationale !== '' && html`<p>${rationale}</p>`}
      ${error !== null && html`<p class="problem">${error}</p>`}
      <${CallBody} run=${run} call=${call} />
    </div>`
    }
  </details>`;
}

function CallBody({ run, call }: { run: string; call: Call }): VNode {
  const [full, setFull] = useState<Call>(call);
  useEffect(() => {
    if (call.is_shortened) get<Call>('run-call', { run, call: call.call }).then(setFull, noticeError);
    else setFull(call);
  }, [call]);
  const { usage, egress, secrets, artifacts } = full;
  const tokens = (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0);
  return html`<div class="stack">
    <dl class="facts">
      <dt>Call</dt><dd><code>${full.call}</code>, <code>${full.class}</code></dd>
      <dt>Time</dt><dd><${Time} at=${full.started} />${full.ms === null ? '' : `, ${formatDuration(full.ms)}`}</dd>
      ${tokens > 0 && html`<dt>Cost</dt><dd class="number">${usage.tokens_in ?? 0} tokens in, ${usage.tokens_out ?? 0} out, ${formatMoney(usage.usd ?? 0)}</dd>`}
      ${egress.length > 0 && html`<dt>Network</dt><dd>${egress.map(({ host, port, verdict, reason }, index) => html`<div key=${index}>${host}:${port} ${t(verdict)} <span class="soft">${reason}</span></div>`)}</dd>`}
      ${secrets.length > 0 && html`<dt>Secrets</dt><dd>${secrets.join(', ')}</dd>`}
      ${artifacts.length > 0 && html`<dt>Complete output</dt><dd>${artifacts.map(({ sha256, name }) => html`<a key=${sha256} href=${addressWithTicket(`/artifacts/${run}/${sha256}`)} target="_blank">${name ?? sha256.slice(0, 12)}</a> `)}</dd>`}
      <dt>Event</dt><dd><a href=${addressOf(`/runs/${run}/events/${full.seq}`)}>${full.seq}</a></dd>
    </dl>
    <h3>Input</h3><${JsonTree} value=${full.input} />
    <h3>Output</h3><${JsonTree} value=${full.output} />
  </div>`;
}

/** What it is about, in a line: a command, a path, an address. */
function describeInput({ input }: Call): string {
  if (typeof input === 'string') return input.slice(0, 200);
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return '';
  const { line, argv, path, url } = input;
  const words = line ?? (Array.isArray(argv) ? argv.map(String).join(' ') : (path ?? url ?? ''));
  return typeof words === 'string' ? words.slice(0, 200) : '';
}
