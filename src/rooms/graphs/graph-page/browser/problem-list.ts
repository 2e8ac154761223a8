/** Everything that is wrong with a graph, each with its place and what to do about it. */
import type { VNode } from 'preact';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Problem } from '../graph-answers.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

/** `onOpen` is called with the path of a problem that was chosen. */
export function ProblemList({
  problems,
  onOpen,
}: {
  problems: readonly Problem[];
  onOpen?: (path: string) => void;
}): VNode {
  if (problems.length === 0)
    return html`<p class="status done" role="status"><span aria-hidden="true">✓</span> It can run.</p>`;
  return html`<div class="problem" role="status">
    <p><strong>${countOf(problems.length, 'problem')}</strong></p>
    <ul>${problems.map(
      ({ path, problem, rule, fix }) => html`<li>
        ${
          onOpen === undefined || path === '(top)'
            ? html`<code>${path}</code>`
            : html`<button type="button" class="quiet" onClick=${() => onOpen(path)}><code>${path}</code></button>`
        }
        ${' '}${problem}${rule === null ? null : html` <span class="tag">${rule}</span>`}
        ${fix === null ? null : html`<br /><span class="fix">${fix}</span>`}
      </li>`,
    )}</ul>
  </div>`;
}
