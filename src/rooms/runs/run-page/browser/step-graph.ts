/** The graph of the steps with their status and times: drag or use the arrow keys to move, + and - to zoom, 0 to fit. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get } from '../../../../kit/web/browser/api.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Elapsed, formatDuration } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { RunAnswer } from '../run-answer.ts';
import type { RunGraphAnswer } from '../run-picture.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

type Drawing = NonNullable<RunGraphAnswer['drawing']>;
type View = { x: number; y: number; scale: number };

export function StepGraph({ data, chosen }: { data: RunAnswer; chosen: string | null }): VNode {
  const { graph_run: run, steps } = data;
  const [layout, setLayout] = useState<Drawing | null>(null);
  useEffect(() => {
    get<RunGraphAnswer>('run-graph', { run }).then(({ drawing }) => setLayout(drawing), noticeError);
  }, [run]);
  return html`<div class="stack">
    ${layout !== null && layout.nodes.length > 1 && html`<${Diagram} layout=${layout} data=${data} chosen=${chosen} />`}
    <ol class="steps">${steps.map((step) => html`<${StepLine} key=${step.id} run=${data.run} step=${step} isChosen=${step.id === chosen} />`)}</ol>
    ${data.earlier_plans.map(
      (plan, index) =>
        html`<details key=${plan.run}><summary>Plan ${index + 1}, replaced</summary><ol class="steps">${plan.steps.map((step) => html`<${StepLine} key=${step.id} run=${data.run} step=${step} isChosen=${false} />`)}</ol></details>`,
    )}
  </div>`;
}

function StepLine({
  run,
  step,
  isChosen,
}: {
  run: string;
  step: RunAnswer['steps'][number];
  isChosen: boolean;
}): VNode {
  const { id, title, status, started, ended, calls, reason } = step;
  return html`<li class=${isChosen ? 'chosen' : ''}>
    <span class="row"><${Status} status=${status} /> <a class="grow" href=${addressOf(`/runs/${run}/steps/${id}`)}>${title}</a>
    <span class="soft number">${started === null ? '' : html`<${Elapsed} from=${started} to=${ended} />`}${calls > 1 ? ` · ${countOf(calls, 'call')}` : ''}</span></span>
    ${reason !== '' && status !== 'done' && html`<span class="soft">${reason}</span>`}
  </li>`;
}

function Diagram({ layout, data, chosen }: { layout: Drawing; data: RunAnswer; chosen: string | null }): VNode {
  const frame = useRef<SVGSVGElement>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const [isLarge, setLarge] = useState(false);
  const drag = useRef<{ x: number; y: number } | null>(null);
  const byId = useMemo(() => new Map(data.steps.map((step) => [step.id, step])), [data.steps]);
  const fit = (): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    const scale = Math.min(1, box.width / (layout.width + MARGIN), box.height / (layout.height + MARGIN));
    setView({ x: (box.width - layout.width * scale) / 2, y: (box.height - layout.height * scale) / 2, scale });
  };
  /** At first a large graph is shown so that it can be read, where the work is now. */
  const showFirst = (): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    if (Math.min(box.width / layout.width, box.height / layout.height) >= READABLE) return fit();
    const scale = Math.min(1, Math.max(READABLE, box.width / (layout.width + MARGIN)));
    const statusOf = (id: string): number => FIRST_SHOWN.indexOf(byId.get(id)?.status ?? '');
    const [at] = layout.nodes.toSorted((a, b) => statusOf(b.id) - statusOf(a.id) || a.y - b.y);
    const isFirst = at === undefined || statusOf(at.id) === -1;
    setView({
      x: box.width / 2 - (isFirst ? layout.width / 2 : at.x + at.width / 2) * scale,
      y: isFirst ? 0 : box.height / 2 - (at.y + at.height / 2) * scale,
      scale,
    });
  };
  useEffect(showFirst, [layout, isLarge]);
  const zoom = (factor: number, at?: { x: number; y: number }): void =>
    setView((before) => {
      const box = frame.current?.getBoundingClientRect();
      const { x, y } = at ?? { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 };
      const scale = Math.min(3, Math.max(0.05, before.scale * factor));
      const ratio = scale / before.scale;
      return { x: x - (x - before.x) * ratio, y: y - (y - before.y) * ratio, scale };
    });
  const move = (x: number, y: number): void => setView((before) => ({ ...before, x: before.x + x, y: before.y + y }));
  const onKey = (event: KeyboardEvent): void => {
    const act = KEYS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    if (act === 'fit') fit();
    else if (typeof act === 'number') zoom(act);
    else move(act[0], act[1]);
  };
  const onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return; // else the page scrolls, as everywhere
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, { x: event.offsetX, y: event.offsetY });
  };
  const { x, y, scale } = view;
  return html`<div class="diagram-frame no-print">
    <div class="row diagram-tools"><button type="button" aria-label="Zoom in" onClick=${() => zoom(1.25)}>+</button><button type="button" aria-label="Zoom out" onClick=${() => zoom(0.8)}>−</button><button type="button" onClick=${fit}>Fit</button><button type="button" aria-pressed=${isLarge} onClick=${() => setLarge(!isLarge)}>${isLarge ? t('Smaller') : t('Larger')}</button></div>
    <svg ref=${frame} class=${isLarge ? 'diagram large' : 'diagram'} style=${{ maxHeight: isLarge ? '' : `${Math.ceil(layout.height) + MARGIN}px` }} tabindex="0" role="group" aria-label="Graph of the steps; the list below has the same. Arrow keys move, plus and minus zoom."
      onKeyDown=${onKey} onWheel=${onWheel}
      onPointerDown=${(event: PointerEvent) => (drag.current = { x: event.clientX, y: event.clientY })}
      onPointerMove=${(event: PointerEvent) => {
        if (drag.current === null || event.buttons === 0) return;
        move(event.clientX - drag.current.x, event.clientY - drag.current.y);
        drag.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerUp=${() => (drag.current = null)}>
      <g transform=${`translate(${x} ${y}) scale(${scale})`}>
        ${layout.edges.map(({ path, label, back }, index) => html`<g key=${index}><path class=${back ? 'edge back' : 'edge'} d=${path} />${label !== null && html`<text class="edge-label" x=${label.x + label.width / 2} y=${label.y + label.height - 5}>${label.text}</text>`}</g>`)}
        ${layout.nodes.map((node) => {
          const step = byId.get(node.id);
          const status = step?.status ?? 'pending';
          return html`<a key=${node.id} href=${addressOf(`/runs/${data.run}/steps/${node.id}`)}>
            <g class=${`node ${status} ${node.shape}${node.id === chosen ? ' chosen' : ''}`} transform=${`translate(${node.x} ${node.y})`}>
              <rect width=${node.width} height=${node.height} rx="6" />
              ${node.title.map((line, at) => html`<text x="10" y=${TOP + at * LINE}>${line}</text>`)}
              <text class="about" x="10" y=${TOP + node.title.length * LINE}>${`${MARKS[status] ?? '○'} ${t(status)}${timeOf(step)}`}</text>
              <title>${node.title.join(' ')}: ${node.about.join(' ')}</title>
            </g></a>`;
        })}
      </g>
    </svg>
  </div>`;
}

/** Beside the picture, both sides together. */
const MARGIN = 32;
const LINE = 16;
const TOP = 21;
/** Below this scale the titles of steps cannot be read. */
const READABLE = 0.6;
const FIRST_SHOWN: readonly string[] = ['failed', 'waiting', 'running'];

const KEYS: Readonly<Record<string, 'fit' | number | readonly [number, number]>> = {
  '+': 1.25,
  '=': 1.25,
  '-': 0.8,
  '0': 'fit',
  ArrowLeft: [40, 0],
  ArrowRight: [-40, 0],
  ArrowUp: [0, 40],
  ArrowDown: [0, -40],
};
const MARKS: Readonly<Record<string, string>> = { done: '✓', failed: '✕', running: '●', waiting: '◆', skipped: '–' };

function timeOf(step: RunAnswer['steps'][number] | undefined): string {
  if (step === undefined || step.started === null || step.ended === null) return '';
  return ` · ${formatDuration(Date.parse(step.ended) - Date.parse(step.started))}`;
}
