/** What stands where nothing is yet: it says what to do. */
import type { ComponentChildren, VNode } from 'preact';
import { html } from '../html.ts';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return html`<div class="empty"><p><strong>${title}</strong></p>${children}</div>`;
}
