/** Calls, waits and pauses over time: a row for each step, a bar for each span. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatDuration, Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { RunSpan } from '../../../../kit/views/run-spans.ts';
import type { RunAnswer } from '../run-answer.ts';
import { useGrowingList } from './growing-list.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

const MOST_ROWS = 60;
/** A bar that is narrower than this share of the chart is drawn so wide. */
const NARROWEST = 0.4;

export function Gantt({ data }: { data: RunAnswer }): VNode {
  const { rows: spans } = useGrowingList<RunSpan>('run-timeline', data.run, 'spans', ({ id, seq }) => `${id} ${seq}`, {
    last: data.events.last,
  });
  const [most, setMost] = useState(MOST_ROWS);
  const isOpen = spans.some(({ to }) => to === null) && data.ended === null;
  const now = useNow(isOpen);
  if (spans.length === 0) return html`<p class="soft">Nothing has happened yet.</p>`;
  const from = Math.min(...spans.map((span) => Date.parse(span.from)));
  const to = Math.max(...spans.map((span) => endOf(span, data, now)), from + 1);
  const groups = groupSpans(spans, data);
  return html`<div class="gantt">
    <p class="soft number"><${Time} at=${new Date(from).toISOString()} />, ${formatDuration(to - from)}</p>
    ${groups.slice(0, most).map(
      ([name, row]) => html`<div key=${name} class="gantt-row">
        <span class="one-line" title=${name}>${name}</span>
        <div class="track" role="img" aria-label=${describeRow(name, row, data, now)}>${row.map((span) => {
          const start = Date.parse(span.from);
          const style = {
            left: `${((start - from) / (to - from)) * 100}%`,
            width: `${Math.max(NARROWEST, ((endOf(span, data, now) - start) / (to - from)) * 100)}%`,
          };
          const title = `${span.label}: ${t(span.status)}, ${formatDuration(endOf(span, data, now) - start)}`;
          return html`<i key=${span.seq} class=${`${span.kind} ${span.status}`} style=${style} title=${title}></i>`;
        })}</div>
      </div>`,
    )}
    ${groups.length > most && html`<button type="button" onClick=${() => setMost(most + 200)}>Show ${groups.length - most} more rows</button>`}
  </div>`;
}

const endOf = ({ to }: RunSpan, { ended }: RunAnswer, now: number): number =>
  to === null ? (ended === null ? now : Date.parse(ended)) : Date.parse(to);

/** The time now, while something is in progress; else it stands still. */
function useNow(isOpen: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => (document.visibilityState === 'visible' ? setNow(Date.now()) : undefined), 1000);
    return () => clearInterval(timer);
  }, [isOpen]);
  return now;
}

/** By step, in the order in which the first span of each began. */
function groupSpans(spans: readonly RunSpan[], { steps, run }: RunAnswer): [string, RunSpan[]][] {
  const titles = new Map(steps.map(({ id, title }) => [id, title]));
  const groups = new Map<string, RunSpan[]>();
  for (const span of spans) {
    const step =
      span.node ??
      (span.kind === 'note' ? t('Notes') : span.kind === 'pause' ? t('Paused') : stepInName(span.id, span.run));
    const name = span.run === run && !titles.has(step) ? step : (titles.get(step) ?? step);
    groups.set(name, [...(groups.get(name) ?? []), span]);
  }
  return [...groups];
}

/** A call that was made within a step has a name that begins with its run and that step. */
const stepInName = (call: string, run: string): string => call.slice(run.length + 1).split('.', 1)[0] ?? call;

function describeRow(name: string, row: readonly RunSpan[], data: RunAnswer, now: number): string {
  const sum = row.reduce((ms, span) => ms + endOf(span, data, now) - Date.parse(span.from), 0);
  return `${name}: ${countOf(row.length, 'span')}, ${formatDuration(sum)}`;
}
