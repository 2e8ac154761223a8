/** Channels or servers: each with a switch, and a place to add one as it would be in its file. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { Dialog } from '../../../kit/web/browser/components/modal.ts';
import { html } from '../../../kit/web/browser/html.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { RulesChange } from '../rules-change.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Row = { name: string; on: boolean; problem: string | null; about: string };
type File = 'channels.json' | 'mcp.json';
type Ask = (change: RulesChange) => void;
type SectionProps = {
  id: string;
  title: string;
  file: File;
  about: string;
  rows: readonly Row[];
  onChange: Ask | null;
};

export function EntriesSection({ id, title, file, about, rows, onChange }: SectionProps): VNode {
  const isAdding = useSignal(false);
  return html`<section class="card" aria-labelledby=${id}>
    <div class="row apart"><h2 id=${id}>${title}</h2>${onChange === null ? null : html`<button type="button" onClick=${() => (isAdding.value = true)}>Add…<span class="hidden"> to ${title}</span></button>`}</div>
    <p class="soft">${about}</p>
    ${
      rows.length === 0
        ? html`<p>There are none yet.</p>`
        : html`<ul class="entries">${rows.map((row) => html`<${Entry} key=${row.name} row=${row} file=${file} onChange=${onChange} />`)}</ul>`
    }
    ${isAdding.value && onChange !== null ? html`<${AddDialog} file=${file} onAdd=${onChange} onClose=${() => (isAdding.value = false)} />` : null}
  </section>`;
}

function Entry({ row, file, onChange }: { row: Row; file: File; onChange: Ask | null }): VNode {
  const { name, on, problem, about } = row;
  const canChange = onChange !== null && about !== '' && !about.startsWith('desktop, this desktop');
  return html`<li>
    <span class="grow"><strong>${name}</strong> <span class="soft">${about}</span> ${on ? null : html`<span class="tag">off</span>`}${problem === null ? null : html`<br /><span class="status failed">${problem}</span>`}</span>
    ${
      canChange
        ? html`<span class="row">
          <button type="button" class="quiet" onClick=${() => onChange({ change: 'switch', file, name, on: !on })}>${on ? t('Switch off') : t('Switch on')}<span class="hidden"> ${name}</span></button>
          <button type="button" class="quiet" onClick=${() => onChange({ change: 'entry', file, name, entry: null })}>Remove<span class="hidden"> ${name}</span></button>
        </span>`
        : null
    }
  </li>`;
}

const EXAMPLES: Readonly<Record<File, string>> = {
  'channels.json': '{\n  "kind": "ntfy",\n  "topic": "a-name-that-nobody-guesses"\n}',
  'mcp.json': '{\n  "command": "npx",\n  "args": ["-y", "@modelcontextprotocol/server-memory"]\n}',
};

function AddDialog({ file, onAdd, onClose }: { file: File; onAdd: Ask; onClose: () => void }): VNode {
  const name = useSignal('');
  const text = useSignal(EXAMPLES[file]);
  const problem = useSignal('');
  const go = (event: SubmitEvent): void => {
    event.preventDefault();
    const entry = parsed(text.value);
    if (entry === undefined) problem.value = t('This is not JSON yet.');
    else {
      (event.target as HTMLElement).closest('dialog')?.close();
      onAdd({ change: 'entry', file, name: name.value.trim(), entry });
    }
  };
  return html`<${Dialog} title=${file === 'mcp.json' ? t('Add an MCP server') : t('Add a channel')} onClose=${onClose}>
    <form class="stack" onSubmit=${go}>
      <label class="stack">Name<input type="text" required value=${name.value} onInput=${(event: InputEvent) => (name.value = (event.target as HTMLInputElement).value)} /></label>
      <label class="stack">Settings, as JSON<textarea rows="8" class="code" spellcheck=${false} value=${text.value} onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}></textarea></label>
      <p class="soft">Write secret:NAME for a secret of the vault, and no key itself.</p>
      ${problem.value === '' ? null : html`<p class="status failed" role="alert">${problem.value}</p>`}
      <footer><button type="submit" class="primary">Show the change</button></footer>
    </form>
  <//>`;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // still being written
  }
}
