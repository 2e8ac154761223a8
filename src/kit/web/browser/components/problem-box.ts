/** An error, with what to do about it. */
import type { VNode } from 'preact';
import { html } from '../html.ts';
import type { ShownError } from '../start.ts';

export function Problem({ error }: { error: ShownError }): VNode {
  return html`<div class="problem" role="alert"><p>${error.message}</p>${error.fix === undefined ? null : html`<p class="fix">${error.fix}</p>`}</div>`;
}
