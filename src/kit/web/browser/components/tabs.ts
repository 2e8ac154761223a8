/** Several views of one thing, of which one is shown. Arrow keys move between them, as everywhere. */
import type { ComponentChildren, VNode } from 'preact';
import { html } from '../html.ts';

export type Tab<Id extends string> = { id: Id; title: string };

type Props<Id extends string> = {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
  children?: ComponentChildren;
};

export function Tabs<Id extends string>({ label, tabs, chosen, onChoose, children }: Props<Id>): VNode {
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return html`<div class="tabs no-print" role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map(
        ({ id, title }) =>
          html`<button key=${id} id=${`tab-${id}`} type="button" role="tab" aria-selected=${id === chosen ? 'true' : 'false'} aria-controls="tab-panel" tabindex=${id === chosen ? '0' : '-1'} onClick=${() => onChoose(id)}>${title}</button>`,
      )}
    </div>
    <div id="tab-panel" class="tab-panel stack" role="tabpanel" aria-labelledby=${`tab-${chosen}`}>${children}</div>`;
}
