/**
 * Deciding about an approval, as a deliberate act: the dialog shows everything that the answer is bound to, and sends the
 * binding that was shown. If the question has changed meanwhile, the worker refuses it and says so.
 */
import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ApiError, submit } from '../api.ts';
import { Dialog } from '../components/modal.ts';
import { notice } from '../components/notices.ts';
import { Problem } from '../components/problem-box.ts';
import { Time } from '../components/time.ts';
import { html } from '../html.ts';
import type { Asked, WaitAnswer, WaitFor } from '../../../../core/schema/wait.ts';
import type { Awaited } from './chosen-wait.ts';
import { t } from '../words.ts';

type Verdict = 'approved' | 'denied';
type Approval = Extract<WaitFor, { kind: 'approval' }>;
type Decision = { wait: string; title: string; asking: Approval; verdict: Verdict };

/** As it was when it was opened: what is read is what is answered. */
const open = signal<Decision | null>(null);

export function openDecision({ wait, title, for: asking }: Awaited, verdict: Verdict): void {
  if (asking.kind === 'approval') open.value = { wait, title, asking, verdict };
}

export function OpenDecision({ onDone }: { onDone: () => void }): VNode | null {
  const decision = open.value;
  return decision === null
    ? null
    : html`<${DecisionDialog} key=${decision.wait} decision=${decision} onDone=${onDone} />`;
}

function DecisionDialog({ decision, onDone }: { decision: Decision; onDone: () => void }): VNode {
  const { wait, title, asking, verdict } = decision;
  const note = useSignal('');
  const hosts = useSignal('');
  const isAlways = useSignal(false);
  const isForTool = useSignal(false);
  const isSending = useSignal(false);
  const refused = useSignal<ApiError | null>(null);
  const isApproval = verdict === 'approved';

  async function send(): Promise<void> {
    isSending.value = true;
    try {
      const named = hosts.value.split(/[\s,]+/).filter((host) => host !== '');
      const answer: WaitAnswer = {
        verdict,
        binding: asking.binding,
        ...(note.value.trim() === '' ? {} : { text: note.value.trim() }),
        ...(isApproval && isAlways.value ? { always: true } : {}),
        ...(isApproval && isForTool.value ? { always_for_tool: asking.asked?.tool ?? '' } : {}),
        ...(isApproval && named.length > 0 ? { hosts: named } : {}),
      };
      const { worker } = await submit({ kind: 'answer', wait, answer });
      notice(worker ? (isApproval ? t('Approved.') : t('Denied.')) : t('Saved. It counts when a worker runs: oka up'));
      open.value = null;
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.value = error;
      onDone();
    } finally {
      isSending.value = false;
    }
  }

  return html`<${Dialog} title=${isApproval ? t('Approve this?') : t('Deny this?')} onClose=${() => (open.value = null)}>
    <p class="soft">${title}</p>
    ${asking.asked === undefined ? null : html`<p>${effectOf(asking.asked)}: ${asking.asked.why}.</p>`}
    <${AskedCall} asking=${asking} />
    ${refused.value === null ? null : html`<${Problem} error=${{ code: refused.value.code, message: refused.value.message, ...(refused.value.fix === undefined ? {} : { fix: refused.value.fix }) }} />`}
    <label class="field">${isApproval ? t('Note (recorded with it)') : t('Reason')}<input value=${note.value} maxlength="1000" onInput=${(event: InputEvent) => (note.value = (event.target as HTMLInputElement).value)} /></label>
    ${
      isApproval && asking.asked?.may_name_hosts === true
        ? html`<label class="field">Hosts it may reach besides those named<input value=${hosts.value} placeholder="git.example.org, 10.0.0.5:3000" onInput=${(event: InputEvent) => (hosts.value = (event.target as HTMLInputElement).value)} /></label>`
        : null
    }
    ${
      isApproval && asking.asked?.grant !== undefined
        ? html`<label><input type="checkbox" checked=${isAlways.value} onChange=${(event: Event) => (isAlways.value = (event.target as HTMLInputElement).checked)} />Also for calls like this one, as long as this run lasts</label>`
        : null
    }
    ${
      isApproval && asking.asked?.may_be_always === true
        ? html`<label><input type="checkbox" checked=${isForTool.value} onChange=${(event: Event) => (isForTool.value = (event.target as HTMLInputElement).checked)} />Always for this tool (${asking.asked.tool}), in all runs</label>`
        : null
    }
    <footer>
      <button type="button" onClick=${() => (open.value = null)}>Cancel</button>
      <button type="button" class=${isApproval ? 'primary' : 'danger'} disabled=${isSending.value} onClick=${send}>${isApproval ? t('Approve') : t('Deny')}</button>
    </footer>
  <//>`;
}

function AskedCall({ asking: { asked, text, binding, expires, aside } }: { asking: Approval }): VNode {
  return html`${asked?.task === undefined ? null : html`<p><strong>${asked.task}</strong></p>`}
    <pre class="bound-call" tabindex="0">${asked?.command ?? text}</pre>
    ${asked === undefined ? null : html`<${AskedEffects} asked=${asked} />`}
    ${aside === undefined ? null : html`<${Lines} title="Files that would be put in place" lines=${aside.paths} />`}
    ${expires === undefined ? null : html`<p class="soft">The question expires <${Time} at=${expires} />.</p>`}
    <details><summary>Details</summary>
      ${asked === undefined ? null : html`<${AskedDetails} asked=${asked} />`}
      <p class="soft">Your answer counts for exactly this call. <code class="binding">${binding}</code></p>
    </details>`;
}

const COMMANDS: Readonly<Record<string, string>> = {
  external_mutation: t('It wants to run a command that may change something outside this computer'),
  write_local: t('It wants to run a command that changes files here'),
};

/** What may happen, in plain words. */
export function effectOf({ class: effect, grant, tool }: Asked): string {
  const places = grant === undefined || grant.hosts.length === 0 ? '' : ` (${grant.hosts.join(', ')})`;
  if (tool === 'shell')
    return (COMMANDS[effect] ?? t('It wants to run a command')) + (effect === 'external_mutation' ? places : '');
  if (effect === 'external_mutation')
    return t('It wants to use {}, which may change something outside this computer', tool) + places;
  return effect === 'write_local'
    ? t('It wants to use {}, which changes files here', tool)
    : t('It wants to use {}', tool);
}

/** What a person has to see before they decide. */
function AskedEffects({ asked: { changes, contents = [], more = [], odd, unbound = [] } }: { asked: Asked }): VNode {
  return html`<${Lines} title="Careful: it contains characters that may look like others" lines=${odd} />
    <${Lines} title="What it would change" lines=${changes} />
    ${more.map(({ title, lines }) => html`<${Lines} key=${title} title=${title} lines=${lines} />`)}
    ${contents.map(({ path, why: reason, text }) => html`<h3>${path}</h3><p class="soft">${reason}</p><pre tabindex="0">${text}</pre>`)}
    <${Lines} title="Not covered: it may change before this runs" lines=${unbound} />`;
}

function AskedDetails({ asked }: { asked: Asked }): VNode {
  const { tool, class: effect, author, dir, env, values, files } = asked;
  return html`<dl class="facts">
      <dt>Tool</dt><dd>${tool}</dd>
      <dt>Class</dt><dd><code>${effect}</code></dd>
      <dt>Written by</dt><dd>${author === 'operator' ? t('you') : t('a model')}</dd>
      ${dir === undefined ? null : html`<dt>Folder</dt><dd>${dir}</dd>`}
      ${env.length === 0 ? null : html`<dt>Variables</dt><dd>${env.join(', ')}</dd>`}
      ${asked.grant === undefined || asked.grant.hosts.length === 0 ? null : html`<dt>Goes to</dt><dd>${asked.grant.hosts.join(', ')}</dd>`}
    </dl>
    <${Lines} title="Where the values came from" lines=${values.map(({ field, value, origin }) => t('{} (from {}): {}', field, origin, value))} />
    <${Lines} title="Files it names, as they are now" lines=${files.map(({ path, sha256 }) => `${path} (${sha256.slice(0, 12)})`)} />`;
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }): VNode | null {
  return lines.length === 0 ? null : html`<h3>${title}</h3><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}
