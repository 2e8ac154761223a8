/** The policy in plain words with the lines of its file, what can be changed of it, and a box to try what it says. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { Dialog } from '../../../kit/web/browser/components/modal.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import type { RulesChange } from '../rules-change.ts';
import type { ClassifyAnswer, PolicyAnswer } from '../settings-answers.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Policy = z.infer<typeof PolicyAnswer>;
type Verdict = 'allow' | 'ask' | 'deny';

type Ask = (change: RulesChange) => void;
type SectionProps = { turn: number; onChange: Ask | null };

export function PolicySection({ turn, onChange }: SectionProps): VNode {
  const found = useQuery<Policy>('policy', {}, turn);
  if (found.state === 'reading')
    return html`<section class="card" aria-labelledby="policy"><h2 id="policy">Rules</h2><p class="soft">Reading…</p></section>`;
  if (found.state === 'failed')
    return html`<section class="card" aria-labelledby="policy"><h2 id="policy">Rules</h2><${Problem} error=${found.error} /></section>`;
  return html`<section class="card" aria-labelledby="policy">
      <div class="row apart"><h2 id="policy">Rules</h2>${onChange === null ? null : html`<${EditButton} text=${found.data.text} onChange=${onChange} />`}</div>
      <p class="soft">What oka may do by itself, and what it asks about. The rules are in <code>${found.data.file}</code>; only people change them.</p>
      <${Rules} policy=${found.data} onChange=${onChange} />
      ${onChange === null || found.data.problem !== null ? null : html`<${AddRule} onChange=${onChange} />`}
      <h3>Try it</h3>
      <${TryBox} />
    </section>
    <${Folders} folders=${found.data.folders} onChange=${onChange} />`;
}

function TryBox(): VNode {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    const written = new FormData(event.currentTarget as HTMLFormElement).get('text');
    setText(typeof written === 'string' ? written.trim() : '');
  };
  return html`<form class="row try" onSubmit=${submit}>
      <label class="wide">What if oka wanted to run <input name="text" placeholder="git push, or https://example.org" autocomplete="off" spellcheck=${false} /></label>
      <button type="submit">Try</button>
    </form>
    <div role="status" aria-live="polite">${text === '' ? null : html`<${Tried} text=${text} />`}</div>`;
}

function Tried({ text }: { text: string }): VNode {
  const found = useQuery<z.infer<typeof ClassifyAnswer>>('classify', { text });
  if (found.state === 'reading') return html`<p class="soft">Trying…</p>`;
  if (found.state === 'failed') return html`<${Problem} error=${found.error} />`;
  const { verdict, reason, programs, hosts, network, rules, command, class: effect } = found.data;
  return html`<dl class="facts tried">
    <dt>Verdict</dt><dd><${VerdictMark} verdict=${verdict} /> ${reason}</dd>
    <dt>Class</dt><dd>${CLASSES[effect] ?? effect}</dd>
    ${programs.length === 0 ? null : html`<dt>Programs</dt><dd>${programs.join(', ')}</dd>`}
    ${network ? html`<dt>Network</dt><dd>${hosts.length === 0 ? t('yes') : hosts.join(', ')}</dd>` : null}
    ${rules.length === 0 ? null : html`<dt>Rules</dt><dd>${rules.map(({ rule, match }) => `${rule + 1}${match === 'maybe' ? ` ${t('(maybe)')}` : ''}`).join(', ')}</dd>`}
    ${command === null ? null : html`<dt>From a command</dt><dd>${t(command.verdict)}: ${command.reason}</dd>`}
  </dl>`;
}

/** The classes of calls in plain words. */
const CLASSES: Readonly<Record<string, string>> = {
  read: t('reading'),
  write_local: t('changing files on its desk'),
  external_mutation: t('changing or sending something elsewhere'),
  deny: t('what is too dangerous for any rule'),
};

function Rules({ policy, onChange }: { policy: Policy; onChange: Ask | null }): VNode {
  const { problem, defaults, default_lines: lines, rules } = policy;
  if (problem !== null || defaults === null)
    return html`<div class="problem"><p>The file cannot be read; the worker goes on with the rules before.</p><pre>${problem}</pre></div>`;
  return html`<ul class="entries">
      ${Object.entries(defaults).map(([name, verdict]) => html`<li><span class="grow"><${VerdictMark} verdict=${verdict} /> ${CLASSES[name] ?? name}</span><${Line} at=${lines[name] ?? 1} /></li>`)}
    </ul>
    ${rules.length === 0 ? html`<p class="soft">There are no exceptions from this.</p>` : html`<h3>Except</h3>`}
    <ol class="entries">${rules.map(
      ({ effect, line, says, why, examples }, index) => html`<li>
        <span class="grow"><${VerdictMark} verdict=${effect} /> ${says}${why === null ? null : html`<br /><small>${why}</small>`}
          ${examples.map(({ command, class: found, verdict }) => html`<br /><small><code>${command}</code> ${CLASSES[found] ?? found}, ${t(verdict)}</small>`)}
        </span>
        <${Line} at=${line} />
        ${onChange === null ? null : html`<button type="button" class="quiet" onClick=${() => onChange({ change: 'remove', list: 'rules', index })}>Remove<span class="hidden"> the rule about ${says}</span></button>`}
      </li>`,
    )}</ol>`;
}

const Line = ({ at }: { at: number }): VNode => html`<small class="number">line ${at}</small>`;

const ABOUT = { program: t('the program'), host: t('the host'), tool: t('the tool'), path: t('files like') } as const;
const EFFECTS = { allow: t('Allow'), ask: t('Ask me about'), deny: t('Never allow') } as const;
const EXAMPLES: Readonly<Record<keyof typeof ABOUT, string>> = {
  program: t('such as git'),
  host: t('such as *.example.org'),
  tool: t('such as http.get'),
  path: t('such as invoices/**'),
};

function AddRule({ onChange }: { onChange: Ask }): VNode {
  const effect = useSignal<Verdict>('ask');
  const about = useSignal<keyof typeof ABOUT>('program');
  const value = useSignal('');
  const why = useSignal('');
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    onChange({
      change: 'add_rule',
      effect: effect.value,
      about: about.value,
      value: value.value.trim(),
      why: why.value,
    });
  };
  const set = (field: { value: string }) => (event: Event) =>
    void (field.value = (event.target as HTMLInputElement).value);
  return html`<form class="row add-rule" aria-label="Add a rule" onSubmit=${add}>
    <select aria-label="What happens" value=${effect.value} onChange=${set(effect)}>${Object.entries(EFFECTS).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select>
    <select aria-label="What it is about" value=${about.value} onChange=${set(about)}>${Object.entries(ABOUT).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select>
    <input type="text" required aria-label="Which one" placeholder=${EXAMPLES[about.value]} value=${value.value} onInput=${set(value)} />
    <input type="text" class="grow" aria-label="Why (shown to whoever is asked)" placeholder="Why (may stay empty)" value=${why.value} onInput=${set(why)} />
    <button type="submit">Add…</button>
  </form>`;
}

function Folders({ folders, onChange }: { folders: Policy['folders']; onChange: Ask | null }): VNode {
  const path = useSignal('');
  const access = useSignal<'read' | 'write'>('read');
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    onChange?.({ change: 'add_folder', path: path.value.trim(), access: access.value });
  };
  return html`<section class="card" aria-labelledby="folders">
    <h2 id="folders">Folders</h2>
    <p class="soft">oka works on its desk. What else of this computer it may use is named here.</p>
    <ul class="entries">${folders.map(
      ({ path: folder, access: how, tasks, line }, index) => html`<li>
        <span class="grow"><code>${folder}</code> ${how === 'write' ? t('read and change') : t('only read')}, <span class="soft">${tasks}</span></span><${Line} at=${line} />
        ${onChange === null ? null : html`<button type="button" class="quiet" onClick=${() => onChange({ change: 'remove', list: 'folders', index })}>Remove<span class="hidden"> ${folder}</span></button>`}
      </li>`,
    )}</ul>
    ${
      onChange === null
        ? null
        : html`<form class="row add-rule" aria-label="Add a folder" onSubmit=${add}>
          <input type="text" class="grow" required aria-label="Folder" placeholder="such as ~/Documents/invoices" value=${path.value} onInput=${(event: InputEvent) => (path.value = (event.target as HTMLInputElement).value)} />
          <select aria-label="What may be done there" value=${access.value} onChange=${(event: Event) => (access.value = (event.target as HTMLSelectElement).value as 'read')}><option value="read">only read</option><option value="write">read and change</option></select>
          <button type="submit">Add…</button>
        </form>`
    }
  </section>`;
}

function EditButton({ text, onChange }: { text: string; onChange: Ask }): VNode {
  const written = useSignal<string | null>(null);
  const go = (event: SubmitEvent): void => {
    event.preventDefault();
    (event.target as HTMLElement).closest('dialog')?.close();
    onChange({ change: 'text', text: written.value ?? text });
  };
  return html`<button type="button" onClick=${() => (written.value = text)}>Edit the file…</button>
    ${
      written.value === null
        ? null
        : html`<${Dialog} title="POLICY.md" onClose=${() => (written.value = null)}>
          <form class="stack" onSubmit=${go}>
            <textarea class="code" rows="22" aria-label="The file" spellcheck=${false} value=${written.value} onInput=${(event: InputEvent) => (written.value = (event.target as HTMLTextAreaElement).value)}></textarea>
            <footer><button type="submit" class="primary">Show the change</button></footer>
          </form>
        <//>`
    }`;
}

const MARKS: Readonly<Record<Verdict, string>> = {
  allow: `✓ ${t('allow')}`,
  ask: `◆ ${t('ask')}`,
  deny: `✕ ${t('deny')}`,
};

const VerdictMark = ({ verdict }: { verdict: Verdict }): VNode =>
  html`<span class=${`verdict ${verdict}`}>${MARKS[verdict]}</span>`;
