/** A value: texts as they are, objects and lists folded. Nothing is built before it is opened. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { countOf } from './format-figures.ts';

const MOST_ENTRIES = 200;
const SHORT = 120;

export function JsonTree({ value, depth = 0 }: { value: unknown; depth?: number }): VNode {
  if (typeof value === 'string') return html`<pre class="value">${value}</pre>`;
  if (value === null || typeof value !== 'object') return html`<code>${JSON.stringify(value) ?? 'null'}</code>`;
  const text = JSON.stringify(value);
  if (text.length <= SHORT && !text.includes('\\n')) return html`<code>${text}</code>`;
  return html`<${Entries} value=${value} depth=${depth} />`;
}

function Entries({ value, depth }: { value: object; depth: number }): VNode {
  const [isOpen, setOpen] = useState(depth < 1);
  const [most, setMost] = useState(MOST_ENTRIES);
  const entries = Object.entries(value);
  const count = Array.isArray(value) ? countOf(entries.length, 'item') : countOf(entries.length, 'field');
  return html`<details class="json" open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary class="soft">${count}</summary>
    ${isOpen && html`<dl class="facts">${entries.slice(0, most).map(([name, each]) => html`<dt key=${`${name} name`}>${name}</dt><dd key=${name}><${JsonTree} value=${each} depth=${depth + 1} /></dd>`)}</dl>`}
    ${isOpen && entries.length > most && html`<button type="button" onClick=${() => setMost(most * 5)}>Show more</button>`}
  </details>`;
}
