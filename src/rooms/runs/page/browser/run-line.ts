/** One line of a list of runs. */
import type { VNode } from 'preact';
import type { RunSummary } from '../../../../core/schema/view-answers.ts';
import { formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Elapsed, Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import { cursor, hasFolded, selected, toggleFold, toggleSelected, unfolded } from './chosen-runs.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type LineProps = {
  /** Null while it is being read. */
  run: RunSummary | null;
  isUnder: boolean;
  /** Where it is in a long list, in pixels. */
  top?: number;
  at?: number;
  count?: number;
};

export function RunLine({ run, isUnder, top, at, count }: LineProps): VNode {
  const placed = top === undefined ? {} : { style: { top: `${top}px` } };
  const numbered = at === undefined ? {} : { 'aria-posinset': at + 1, 'aria-setsize': count };
  if (run === null)
    return html`<li class="run-line waiting-line" ...${placed} ...${numbered}><span class="soft">…</span></li>`;
  const classes = ['run-line', ...(isUnder ? ['under'] : []), ...(cursor.value === run.run ? ['chosen'] : [])];
  return html`<li class=${classes.join(' ')} ...${placed} ...${numbered} aria-current=${cursor.value === run.run ? 'true' : null} onClick=${() => (cursor.value = run.run)}>
    <input type="checkbox" aria-label=${t('Select {}', run.title)} checked=${selected.value.has(run.run)} onChange=${() => toggleSelected(run.run)} />
    <${Unfold} run=${run} />
    <a class="title one-line" href=${addressOf(`/runs/${run.run}`)} title=${run.title}>${run.pinned === true ? html`<span aria-label="pinned">★ </span>` : null}${run.title}</a>
    <span class="about one-line"><${Status} status=${run.status} />${run.status === 'running' && run.steps.all > 0 ? html` <span class="number soft">${run.steps.done}/${run.steps.all}</span>` : null}</span>
    <span class="kind one-line soft">${describeKind(run)}</span>
    <span class="number soft took"><${Elapsed} from=${run.started} to=${run.ended} /></span>
    <span class="number soft cost">${run.cost.usd === 0 ? '' : formatMoney(run.cost.usd)}</span>
    <span class="soft when"><${Time} at=${run.started} /></span>
  </li>`;
}

function Unfold({ run }: { run: RunSummary }): VNode {
  if (!hasFolded(run)) return html`<span></span>`;
  const isOpen = unfolded.value.has(run.run);
  return html`<button type="button" class="quiet unfold" aria-expanded=${isOpen ? 'true' : 'false'} aria-label=${t('What belongs to {}', run.title)} onClick=${() => void toggleFold(run.run)}>${isOpen ? '▾' : '▸'}</button>`;
}

function describeKind({ kind, schedule, tags = [], link }: RunSummary): string {
  const word = schedule === undefined ? t(link === undefined ? kind : link.kind) : t('schedule {}', schedule);
  return [word, ...tags.map((tag) => `#${tag}`)].join(' ');
}
