/** A mark of strokes in the colour of the text around it; what it means is said in words beside it. */
import type { VNode } from 'preact';
import { html } from '../html.ts';

export function Icon({ path }: { path: string }): VNode {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}
