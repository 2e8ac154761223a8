/** A picture of a graph as SVG that stands alone: no script, no font and no style from elsewhere. */
import type { NodeStatus } from '../../../core/schema/run.ts';
import type { Picture, PictureNode } from './graph-picture.ts';
import { textWidth, wrapLabel } from './labels.ts';
import { layoutPicture, type PlacedEdge, type PlacedNode, type Point } from './layout.ts';

/** Colours, and a mark for whoever does not see them. */
const STATUS: Record<NodeStatus, { fill: string; line: string; mark: string }> = {
  pending: { fill: '#ffffff', line: '#98a2b3', mark: '○' },
  running: { fill: '#dbeafe', line: '#1d4ed8', mark: '▶' },
  waiting: { fill: '#fef3c7', line: '#b45309', mark: '…' },
  done: { fill: '#dcfce7', line: '#15803d', mark: '✓' },
  failed: { fill: '#fee2e2', line: '#b91c1c', mark: '✗' },
  skipped: { fill: '#f2f4f7', line: '#98a2b3', mark: '–' },
};
const PLAIN = { fill: '#f8fafc', line: '#334155', mark: '' };
const HEAD = 28;

export function toSvg(picture: Picture): string {
  const { width, height, nodes, edges } = layoutPicture(picture);
  const full = Math.ceil(Math.max(width, textWidth(picture.title) * 1.25 + 32));
  const [w, h] = [full, Math.ceil(height + HEAD)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeXml(picture.title)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#475467"/></marker></defs>',
    `<rect width="${w}" height="${h}" fill="#ffffff"/>`,
    `<text x="16" y="20" font-size="14" font-weight="600" fill="#101828">${escapeXml(picture.title)}</text>`,
    `<g transform="translate(${round((full - width) / 2)} ${HEAD - 10})">`,
    ...edges.map(edgeSvg),
    ...edges.map(labelSvg),
    ...nodes.map(nodeSvg),
    '</g>',
    '</svg>',
    '',
  ]
    .filter((line, at, all) => line !== '' || at === all.length - 1)
    .join('\n');
}

function edgeSvg(placed: PlacedEdge): string {
  const { edge } = placed;
  const dashed = edge.isBack ? ' stroke-dasharray="5 4"' : '';
  return `<path class="edge" d="${edgePath(placed)}" fill="none" stroke="#475467" stroke-width="1.3"${dashed} marker-end="url(#arrow)"><title>${escapeXml(`${edge.from} → ${edge.to}`)}</title></path>`;
}

/** The `d` of the path of an edge. */
export const edgePath = ({ points, isLoop }: PlacedEdge): string => (isLoop ? polyline(points) : curve(points));

const polyline = (points: readonly Point[]): string =>
  points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');

/** Straight through ranks, and curved with vertical ends between them. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  let [path, last] = [`M${round(first?.x ?? 0)} ${round(first?.y ?? 0)}`, first ?? { x: 0, y: 0 }];
  for (const point of rest) {
    const middle = round((last.y + point.y) / 2);
    path +=
      Math.abs(point.x - last.x) < 0.5
        ? `L${round(point.x)} ${round(point.y)}`
        : `C${round(last.x)} ${middle} ${round(point.x)} ${middle} ${round(point.x)} ${round(point.y)}`;
    last = point;
  }
  return path;
}

function labelSvg({ label, edge, points, isLoop }: PlacedEdge): string {
  if (isLoop && edge.label !== '') {
    const [, at] = points;
    return `<text class="label" x="${round((at?.x ?? 0) + 4)}" y="${round((at?.y ?? 0) - 4)}" font-size="11" fill="#344054">${escapeXml(edge.label)}</text>`;
  }
  if (label === null) return '';
  const { x, y, width, height, text } = label;
  return `<g><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="3" fill="#ffffff"/><text class="label" x="${round(x + width / 2)}" y="${round(y + height - 5)}" text-anchor="middle" font-size="11" fill="#344054">${escapeXml(text)}</text></g>`;
}

function nodeSvg({ node, x, y, width, height, lines }: PlacedNode): string {
  const { fill, line, mark } = node.went === undefined ? PLAIN : STATUS[node.went.status];
  const titled = wrapLabel(node.title).length;
  const texts = lines.map(
    (text, at) =>
      `<text x="${round(x + width / 2)}" y="${round(y + 9 + 12 + at * 16)}" text-anchor="middle"${at < titled ? ' font-weight="600" fill="#101828"' : ' font-size="11" fill="#475467"'}>${escapeXml(text)}</text>`,
  );
  const style = `fill="${fill}" stroke="${line}" stroke-width="1.5"`;
  return [
    `<g class="node" id="node-${escapeXml(node.id)}"><title>${escapeXml(describeNode(node))}</title>`,
    shapeSvg(node, { x, y, width, height }, style),
    ...texts,
    mark === ''
      ? ''
      : `<text class="mark" x="${round(x + width - 6)}" y="${round(y + 13)}" text-anchor="end" font-weight="700" fill="${line}">${mark}${timesOf(node)}</text>`,
    '</g>',
  ].join('');
}

type Rectangle = { x: number; y: number; width: number; height: number };

/** Conditions have pointed sides; a map looks like a pile. */
function shapeSvg({ shape }: PictureNode, { x, y, width, height }: Rectangle, style: string): string {
  const [left, right, top, bottom] = [round(x), round(x + width), round(y), round(y + height)];
  const middle = round(y + height / 2);
  const rect = (shift: number): string =>
    `<rect x="${round(x + shift)}" y="${round(y + shift)}" width="${round(width - (shape === 'map' ? 4 : 0))}" height="${round(height - (shape === 'map' ? 4 : 0))}" rx="6" ${style}/>`;
  if (shape === 'map') return `${rect(4)}${rect(0)}`;
  if (shape === 'step') return rect(0);
  const [innerLeft, innerRight] = [round(x + 10), round(x + width - 10)];
  return `<polygon points="${left},${middle} ${innerLeft},${top} ${innerRight},${top} ${right},${middle} ${innerRight},${bottom} ${innerLeft},${bottom}" ${style}/>`;
}

const timesOf = ({ went }: PictureNode): string => ((went?.times ?? 0) > 1 ? ` ${went?.times}×` : '');

function describeNode({ id, about, went }: PictureNode): string {
  return `${id}: ${about}${went === undefined ? '' : `, ${went.status}`}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '·')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
