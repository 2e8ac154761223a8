/** Markup in templates: html`<p class="note">${text}</p>`. Preact escapes every value. */
import htm from 'htm';
import { h, type VNode } from 'preact';

export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
