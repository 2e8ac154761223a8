/** Markup in templates: html`<p class="note">${text}</p>`. Preact escapes every value; its text is said in the reader's language. */
import htm from 'htm';
import { h, type VNode } from 'preact';
import { sayTemplate } from './words.ts';

const build = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode {
  const said = sayTemplate(strings);
  return said === null ? build(strings, ...values) : build(said.strings, ...said.order.map((at) => values[at]));
}
