/** How the last uses of a procedure went, as a row of marks, with the same in words. */
import type { VNode } from 'preact';
import { html } from '../../../../kit/web/browser/html.ts';
import type { ProcedureRow } from '../procedure-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';

const MARKS = { fine: '✓', bad: '✕', open: '·' } as const;

export function Trend({ trend }: { trend: ProcedureRow['trend'] }): VNode {
  if (trend.length === 0) return html`<span class="soft">not used yet</span>`;
  const fine = trend.filter((each) => each === 'fine').length;
  return html`<span class="trend" role="img" aria-label=${t('{} of the last {} uses went well', fine, trend.length)}>${trend.map((each) => html`<span class=${each} aria-hidden="true">${MARKS[each]}</span>`)}</span>`;
}
