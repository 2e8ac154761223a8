/** The policy, rule by rule, and a box to try what it says about a command or an address. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import type { ClassifyAnswer, PolicyAnswer } from '../health-answers.ts';

type Policy = z.infer<typeof PolicyAnswer>;
type Verdict = 'allow' | 'ask' | 'deny';

export function PolicySection({ file }: { file: string }): VNode {
  const found = useQuery<Policy>('policy', {});
  return html`<section class="card" aria-labelledby="policy">
    <h2 id="policy">Policy</h2>
    <p class="soft">The rules are in <code>${file}</code>. Edit that file; the worker reads it again by itself. This page changes no rule.</p>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Reading…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<${TryBox} /><${Rules} policy=${found.data} />`
    }
  </section>`;
}

function TryBox(): VNode {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    const written = new FormData(event.currentTarget as HTMLFormElement).get('text');
    setText(typeof written === 'string' ? written.trim() : '');
  };
  return html`<form class="row try" onSubmit=${submit}>
      <label class="wide">What if a model wrote <input name="text" placeholder="git push, or https://example.org" autocomplete="off" spellcheck=${false} /></label>
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
    <dt>Class</dt><dd>${effect}</dd>
    ${programs.length === 0 ? null : html`<dt>Programs</dt><dd>${programs.join(', ')}</dd>`}
    ${network ? html`<dt>Network</dt><dd>${hosts.length === 0 ? 'yes' : hosts.join(', ')}</dd>` : null}
    ${rules.length === 0 ? null : html`<dt>Rules</dt><dd>${rules.map(({ rule, match }) => `${rule + 1}${match === 'maybe' ? ' (maybe)' : ''}`).join(', ')}</dd>`}
    ${command === null ? null : html`<dt>From a command</dt><dd>${command.verdict}: ${command.reason}</dd>`}
  </dl>`;
}

/** The classes of calls in plain words. */
const CLASSES: Readonly<Record<string, string>> = {
  read: 'reading',
  write_local: 'changing files of yours here',
  external_mutation: 'changing something elsewhere',
  deny: 'what is never allowed',
};

function Rules({ policy }: { policy: Policy }): VNode {
  const { problem, defaults, rules, folders } = policy;
  if (problem !== null || defaults === null)
    return html`<div class="problem"><p>It cannot be read; the worker goes on with the policy before.</p><pre>${problem}</pre></div>`;
  return html`<h3>Where no rule matches</h3>
    <p class="row">${Object.entries(defaults).map(([name, verdict]) => html`<span>${CLASSES[name] ?? name}: <${VerdictMark} verdict=${verdict} /></span>`)}</p>
    <h3>Rules</h3>
    ${
      rules.length === 0
        ? html`<p class="soft">None: the defaults decide.</p>`
        : html`<ol class="rules">${rules.map(
            ({ effect, says, why, examples }) => html`<li>
              <${VerdictMark} verdict=${effect} /> ${says}${why === null ? null : html`<br /><small>${why}</small>`}
              ${
                examples.length === 0
                  ? null
                  : html`<ul class="examples">${examples.map(({ command, class: found, verdict }) => html`<li><code>${command}</code> <small>${found}, ${verdict}</small></li>`)}</ul>`
              }
            </li>`,
          )}</ol>`
    }
    ${folders.length === 0 ? null : html`<h3>Folders outside the desk</h3><ul>${folders.map((folder) => html`<li><code>${folder.path}</code></li>`)}</ul>`}`;
}

const MARKS: Readonly<Record<Verdict, string>> = { allow: '✓ allow', ask: '◆ ask', deny: '✕ deny' };

const VerdictMark = ({ verdict }: { verdict: Verdict }): VNode =>
  html`<span class=${`verdict ${verdict}`}>${MARKS[verdict]}</span>`;
