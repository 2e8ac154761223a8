/** The picture of a graph, drawn from where the server has laid everything out. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { html } from '../../../../kit/web/browser/html.ts';
import type { GraphCheckAnswer } from '../graph-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

type Drawing = NonNullable<GraphCheckAnswer['drawing']>;
type DrawnNode = Drawing['nodes'][number];

const MARKS: Readonly<Record<string, string>> = {
  pending: '○',
  running: '●',
  waiting: '◆',
  done: '✓',
  failed: '✕',
  skipped: '–',
};
const LINE = 16;
const TOP = 21;
const STEP = 1.25;

/** An arrow that was chosen. */
type Arrow = { from: string; to: string };

/** What can be done on a picture that is edited. */
export type DrawingActs = {
  chosen: string | null;
  /** Nodes with a problem. */
  wrong: ReadonlySet<string>;
  onSelect: (node: string | null) => void;
  onConnect: (from: string, to: string) => void;
  onRemoveNode: (node: string) => void;
  onRemoveArrow: (arrow: Arrow) => void;
};

type DrawingProps = { drawing: Drawing; title: string; acts?: DrawingActs };

export function GraphDrawing({ drawing, title, acts }: DrawingProps): VNode {
  const scale = useSignal(1);
  const drag = useSignal<{ from: string; x: number; y: number } | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const pointAt = (event: PointerEvent): { x: number; y: number } => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current?.getScreenCTM()?.inverse());
    return { x: at.x, y: at.y };
  };
  const drop = (event: PointerEvent): void => {
    if (drag.value === null) return;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-node]');
    const to = over?.getAttribute('data-node');
    if (to != null) acts?.onConnect(drag.value.from, to);
    drag.value = null;
  };
  const dragged = drag.value === null ? undefined : drawing.nodes.find(({ id }) => id === drag.value?.from);
  const { width, height, nodes, edges } = drawing;
  const zoom = (factor: number): void => void (scale.value = Math.min(4, Math.max(0.2, scale.value * factor)));
  return html`<figure class="drawing">
    <div class="row no-print">
      <button type="button" class="quiet" aria-label="Smaller" onClick=${() => zoom(1 / STEP)}>−</button>
      <button type="button" class="quiet" onClick=${() => (scale.value = 1)}>${Math.round(scale.value * 100)} %</button>
      <button type="button" class="quiet" aria-label="Larger" onClick=${() => zoom(STEP)}>+</button>
    </div>
    <div class="drawing-area" tabindex="0" role="region" aria-label="Picture of the graph">
      <svg ref=${svg} role=${acts === undefined ? 'img' : 'group'} onPointerMove=${(event: PointerEvent) => (drag.value === null ? undefined : (drag.value = { from: drag.value.from, ...pointAt(event) }))} onPointerUp=${drop} aria-label=${describeDrawing(title, drawing)} viewBox=${`0 0 ${Math.ceil(width)} ${Math.ceil(height)}`}
        width=${Math.ceil(width * scale.value)} height=${Math.ceil(height * scale.value)}>
        <defs><marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" class="arrow-head" /></marker></defs>
        ${edges.map(({ from, to, path, back }) => html`<path key=${`${from} ${to} ${path}`} class=${back ? 'edge back' : 'edge'} d=${path} marker-end="url(#arrow)"><title>${from} → ${to}</title></path>`)}
        ${acts === undefined ? null : edges.map(({ from, to, path }) => html`<path key=${`hit ${from} ${to}`} class="edge-hit" d=${path} role="button" tabindex="0" aria-label=${t('Remove the arrow from {} to {}', from, to)} onClick=${() => acts.onRemoveArrow({ from, to })} onKeyDown=${pressed(() => acts.onRemoveArrow({ from, to }))}><title>Remove this arrow</title></path>`)}
        ${edges.map(({ label }) => (label === null ? null : html`<g><rect class="edge-label-box" x=${label.x} y=${label.y} width=${label.width} height=${label.height} /><text class="edge-label" x=${label.x + label.width / 2} y=${label.y + label.height - 5}>${label.text}</text></g>`))}
        ${nodes.map((node) => html`<${NodeBox} key=${node.id} node=${node} acts=${acts} />`)}
        ${
          acts === undefined
            ? null
            : nodes.map(
                ({ id, x, y, width: wide, height: high }) =>
                  html`<circle key=${`port ${id}`} class="port" cx=${x + wide / 2} cy=${y + high} r="6" onPointerDown=${(
                    event: PointerEvent,
                  ) => {
                    event.preventDefault();
                    drag.value = { from: id, ...pointAt(event) };
                  }}><title>Drag to the step that comes after</title></circle>`,
              )
        }
        ${drag.value === null || dragged === undefined ? null : html`<path class="edge dragged" d=${`M${dragged.x + dragged.width / 2} ${dragged.y + dragged.height}L${drag.value.x} ${drag.value.y}`} marker-end="url(#arrow)" />`}
      </svg>
    </div>
  </figure>`;
}

/** Enter and Space press what is no button of the browser. */
const pressed =
  (act: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
  };

function NodeBox({ node, acts }: { node: DrawnNode; acts: DrawingActs | undefined }): VNode {
  const { id, x, y, width, height, title, about, shape, status, times } = node;
  const mark = status === null ? '' : `${MARKS[status] ?? ''}${times > 1 ? ` ${times}×` : ''}`;
  const isChosen = acts?.chosen === id;
  const isWrong = acts?.wrong.has(id) === true;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Delete') acts?.onRemoveNode(id);
    else pressed(() => acts?.onSelect(id))(event);
  };
  const editable =
    acts === undefined
      ? {}
      : {
          role: 'button',
          tabindex: 0,
          'data-node': id,
          'aria-pressed': isChosen,
          'aria-label': t(isWrong ? 'The step {}, which has a problem' : 'The step {}', id),
          onClick: () => acts.onSelect(isChosen ? null : id),
          onKeyDown,
        };
  return html`<g class=${`node ${isWrong ? 'failed' : (status ?? 'plain')}${acts === undefined ? '' : ' link'}${isChosen ? ' chosen-node' : ''}`} ...${editable}>
    <title>${id}${status === null ? '' : `, ${t(status)}`}</title>
    ${shape === 'map' ? html`<rect x=${x + 4} y=${y + 4} width=${width - 4} height=${height - 4} rx="6" />` : null}
    ${
      shape === 'condition'
        ? html`<polygon points=${hexagon(node)} />`
        : html`<rect x=${x} y=${y} width=${shape === 'map' ? width - 4 : width} height=${shape === 'map' ? height - 4 : height} rx="6" />`
    }
    ${[...title, ...about].map(
      (line, at) =>
        html`<text class=${at < title.length ? 'node-title' : 'node-about'} x=${x + width / 2} y=${y + TOP + at * LINE}>${line}</text>`,
    )}
    ${mark === '' ? null : html`<text class="node-mark" x=${x + width - 6} y=${y + 13}>${mark}</text>`}
  </g>`;
}

function hexagon({ x, y, width, height }: DrawnNode): string {
  const middle = y + height / 2;
  return [
    [x, middle],
    [x + 10, y],
    [x + width - 10, y],
    [x + width, middle],
    [x + width - 10, y + height],
    [x + 10, y + height],
  ]
    .map((point) => point.join(','))
    .join(' ');
}

function describeDrawing(title: string, { nodes, edges }: Drawing): string {
  const steps = nodes.map(({ id, status }) => (status === null ? id : `${id} (${t(status)})`)).join(', ');
  return t('{}: {}, {}. {}', title, countOf(nodes.length, 'step'), countOf(edges.length, 'arrow'), steps);
}
