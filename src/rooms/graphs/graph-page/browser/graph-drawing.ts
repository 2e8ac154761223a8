/** The picture of a graph, drawn from where the server has laid everything out. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { html } from '../../../../kit/web/browser/html.ts';
import type { GraphCheckAnswer } from '../graph-answers.ts';

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

type DrawingProps = { drawing: Drawing; title: string; onSelect?: (node: string) => void };

/** `onSelect` is called with the node that was clicked. */
export function GraphDrawing({ drawing, title, onSelect }: DrawingProps): VNode {
  const scale = useSignal(1);
  const { width, height, nodes, edges } = drawing;
  const zoom = (factor: number): void => void (scale.value = Math.min(4, Math.max(0.2, scale.value * factor)));
  return html`<figure class="drawing">
    <div class="row no-print">
      <button type="button" class="quiet" aria-label="Smaller" onClick=${() => zoom(1 / STEP)}>−</button>
      <button type="button" class="quiet" onClick=${() => (scale.value = 1)}>${Math.round(scale.value * 100)} %</button>
      <button type="button" class="quiet" aria-label="Larger" onClick=${() => zoom(STEP)}>+</button>
    </div>
    <div class="drawing-area" tabindex="0" role="region" aria-label="Picture of the graph">
      <svg role="img" aria-label=${describeDrawing(title, drawing)} viewBox=${`0 0 ${Math.ceil(width)} ${Math.ceil(height)}`}
        width=${Math.ceil(width * scale.value)} height=${Math.ceil(height * scale.value)}>
        <defs><marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" class="arrow-head" /></marker></defs>
        ${edges.map(({ from, to, path, back }) => html`<path key=${`${from} ${to} ${path}`} class=${back ? 'edge back' : 'edge'} d=${path} marker-end="url(#arrow)"><title>${from} → ${to}</title></path>`)}
        ${edges.map(({ label }) => (label === null ? null : html`<g><rect class="edge-label-box" x=${label.x} y=${label.y} width=${label.width} height=${label.height} /><text class="edge-label" x=${label.x + label.width / 2} y=${label.y + label.height - 5}>${label.text}</text></g>`))}
        ${nodes.map((node) => html`<${NodeBox} key=${node.id} node=${node} onSelect=${onSelect} />`)}
      </svg>
    </div>
  </figure>`;
}

function NodeBox({ node, onSelect }: { node: DrawnNode; onSelect?: DrawingProps['onSelect'] }): VNode {
  const { id, x, y, width, height, title, about, shape, status, times } = node;
  const mark = status === null ? '' : `${MARKS[status] ?? ''}${times > 1 ? ` ${times}×` : ''}`;
  const select = onSelect === undefined ? {} : { onClick: () => onSelect(id) };
  return html`<g class=${`node ${status ?? 'plain'}${onSelect === undefined ? '' : ' link'}`} ...${select}>
    <title>${id}${status === null ? '' : `, ${status}`}</title>
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
  const steps = nodes.map(({ id, status }) => (status === null ? id : `${id} (${status})`)).join(', ');
  return `${title}: ${nodes.length} steps, ${edges.length} arrows. ${steps}`;
}
