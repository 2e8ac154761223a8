/** The page Settings. What changes a rule is shown as a difference first, and confirmed by logging in for it. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import type { z } from 'zod';
import { html } from '../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../kit/web/browser/page-data.ts';
import { addressOf, start } from '../../../kit/web/browser/start.ts';
import type { RulesChange } from '../rules-change.ts';
import type { SettingsAnswer } from '../settings-answers.ts';
import { EntriesSection } from './entries-section.ts';
import { PolicySection } from './policy-section.ts';
import { PushSection } from './push-section.ts';
import { RulesDialog } from './rules-dialog.ts';
import { SecretsSection } from './secrets-section.ts';
import { SessionsSection } from './sessions-section.ts';
import { t } from '../../../kit/web/browser/words.ts';

const CHANGING = new Set(['policy.loaded', 'worker.started', 'intake.received', 'secret.changed']);

export const isChangedBy = ({ type }: LedgerEvent): boolean => CHANGING.has(type);

/** The change that is asked about. */
const asked = signal<RulesChange | null>(null);
/** Sections read their data again. */
const turn = signal(0);

const SECTIONS = [
  ['model', t('Model')],
  ['policy', t('Rules')],
  ['folders', t('Folders')],
  ['channels', t('Channels')],
  ['servers', t('MCP servers')],
  ['secrets', t('Secrets')],
  ['sessions', t('Who may log in')],
  ['push', t('Notifications')],
] as const;

export default function SettingsView({ data, reload }: ViewProps<z.infer<typeof SettingsAnswer>>): VNode {
  const { model, channels, servers, passphrase, writable } = data;
  const ask = start.rights === 'all' ? (change: RulesChange): void => void (asked.value = change) : null;
  const done = (): void => {
    turn.value += 1;
    reload();
  };
  return html`<h1>Settings</h1>
    <nav class="sections row" aria-label="Sections">${SECTIONS.map(([id, title]) => html`<a href=${`#${id}`} onClick=${(event: MouseEvent) => show(event, id)}>${title}</a>`)}</nav>
    ${writable ? null : html`<p class="warning">The rules are mounted read-only here. A change is shown with the command that makes it on the machine that has them.</p>`}
    <section class="card" aria-labelledby="model">
      <div class="row apart"><h2 id="model">Model</h2>${start.rights === 'all' ? html`<a class="button" href=${addressOf('/setup')}>${model === null ? t('Set one up') : t('Change')}</a>` : null}</div>
      <p>${model ?? html`<span class="soft">None. Runbooks, whose steps are commands that you wrote, need none; tasks in plain words need one.</span>`}</p>
    </section>
    <${PolicySection} turn=${turn.value} onChange=${ask} />
    <${EntriesSection} id="channels" title="Channels" file="channels.json" about="How oka reaches you: mail, messengers, notifications."
      rows=${channels.map(({ kind, to, ...row }) => ({ ...row, about: kind === '' ? to : `${kind}, ${to}` }))} onChange=${ask} />
    <${EntriesSection} id="servers" title="MCP servers" file="mcp.json" about="Programs that give oka more tools. Their tools count only after you have accepted them."
      rows=${servers.map(({ how, ...row }) => ({ ...row, about: how }))} onChange=${ask} />
    <${SecretsSection} />
    <${SessionsSection} />
    <${PushSection} />
    ${asked.value === null ? null : html`<${RulesDialog} key=${JSON.stringify(asked.value)} change=${asked.value} hasPassphrase=${passphrase} onDone=${done} onClose=${() => (asked.value = null)} />`}`;
}

function show(event: MouseEvent, id: string): void {
  event.preventDefault();
  const heading = document.getElementById(id);
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
  heading?.closest('section')?.scrollIntoView({ block: 'start' });
}
