/** A page that has no view of its own: lists as tables, objects as names and values, as on the command line. */
import type { VNode } from 'preact';
import { Empty } from './components/empty.ts';
import { JsonTree } from './components/json-tree.ts';
import { Time } from './components/time.ts';
import { html } from './html.ts';
import type { ViewProps } from './page-data.ts';
import { t } from './words.ts';
import { formatCount } from './components/format-figures.ts';

type Entries = Readonly<Record<string, unknown>>;

export default function DataView({ data }: ViewProps<unknown>): VNode {
  if (Array.isArray(data)) return html`<${List} title="Entries" items=${data} />`;
  if (!isEntries(data)) return html`<p><${Value} value=${data} /></p>`;
  const all = Object.entries(data);
  const lists = all.filter(([, value]) => Array.isArray(value));
  const single = all.filter(([, value]) => !Array.isArray(value));
  return html`${single.length === 0 ? null : html`<dl class="facts">${single.map(([name, value]) => html`<dt>${heading(name)}</dt><dd><${Value} value=${value} /></dd>`)}</dl>`}
    ${lists.map(([name, items]) => html`<section key=${name}><h2>${heading(name)}</h2><${List} title=${heading(name)} items=${items} /></section>`)}`;
}

function List({ title, items }: { title: string; items: readonly unknown[] }): VNode {
  if (items.length === 0) return html`<${Empty} title="Nothing yet" />`;
  if (!items.every(isEntries))
    return html`<ul>${items.map((each, index) => html`<li key=${index}><${Value} value=${each} /></li>`)}</ul>`;
  const columns = [...new Set(items.flatMap((row) => Object.keys(row)))];
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
    <thead><tr>${columns.map((name) => html`<th scope="col" class=${isNumber(items, name) ? 'number' : null}>${heading(name)}</th>`)}</tr></thead>
    <tbody>${items.map((row, index) => html`<tr key=${index}>${columns.map((name) => html`<td class=${isNumber(items, name) ? 'number' : null}><${Value} value=${row[name]} /></td>`)}</tr>`)}</tbody>
  </table></div>`;
}

function Value({ value }: { value: unknown }): VNode {
  if (value === null || value === undefined) return html`<span class="soft">–</span>`;
  if (typeof value === 'boolean') return html`<span>${value ? t('yes') : t('no')}</span>`;
  if (typeof value === 'number') return html`<span>${formatCount(value)}</span>`;
  if (typeof value !== 'string') return html`<${JsonTree} value=${value} />`;
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? html`<${Time} at=${value} />` : html`<span>${value}</span>`;
}

const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (rows: readonly Entries[], name: string): boolean =>
  rows.every((row) => typeof row[name] === 'number');
/** `last_sent` is "Last sent". */
const heading = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};
