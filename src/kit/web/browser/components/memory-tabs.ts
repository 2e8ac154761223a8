/** The pages about memory, beside each other. */
import type { VNode } from 'preact';
import { html } from '../html.ts';
import { addressOf } from '../start.ts';
import { t } from '../words.ts';

const TABS = [
  { name: 'memory', path: '/memory', title: t('What is known') },
  { name: 'learned', path: '/memory/learned', title: t('Recently learned') },
  { name: 'days', path: '/memory/days', title: t('Days') },
  { name: 'procedures', path: '/memory/procedures', title: t('Procedures') },
] as const;

export function MemoryTabs({ current }: { current: (typeof TABS)[number]['name'] }): VNode {
  return html`<h1>Memory</h1>
    <nav class="tabs" aria-label="Memory">${TABS.map(
      ({ name, path, title }) =>
        html`<a href=${addressOf(path)} aria-current=${name === current ? 'page' : null}>${title}</a>`,
    )}</nav>`;
}
