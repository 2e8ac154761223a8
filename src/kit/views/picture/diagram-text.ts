/** A picture of a graph as text for other programs: Mermaid and Graphviz. */
import type { Picture, PictureNode } from './graph-picture.ts';

const MARKS = { pending: '○', running: '▶', waiting: '…', done: '✓', failed: '✗', skipped: '–' } as const;

function labelOf({ title, about, went }: PictureNode): string[] {
  const mark = went === undefined ? '' : ` ${MARKS[went.status]}${went.times > 1 ? ` ${went.times}×` : ''}`;
  return [`${title}${mark}`, ...(about === title ? [] : [about])];
}

export function toMermaid({ nodes, edges }: Picture): string {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const lines = nodes.map((node) => {
    const text = `"${labelOf(node).map(mermaidText).join('<br/>')}"`;
    const [open, close] = node.shape === 'condition' ? ['{{', '}}'] : node.shape === 'map' ? ['[[', ']]'] : ['[', ']'];
    return `  ${names.get(node.id)}${open}${text}${close}`;
  });
  const arrows = edges.map(({ from, to, label, isBack }) => {
    const text = label === '' ? '' : `|"${mermaidText(label)}"|`;
    return `  ${names.get(from)} ${isBack ? '-.->' : '-->'}${text} ${names.get(to)}`;
  });
  return `${['flowchart TD', ...lines, ...arrows].join('\n')}\n`;
}

const mermaidText = (text: string): string =>
  text.replaceAll(/[#"<>&`{}[\]|]/g, (each) => `#${each.codePointAt(0)};`).replaceAll(/\s+/g, ' ');

const SHAPES = { step: 'box', condition: 'hexagon', map: 'box3d' } as const;

export function toDot({ title, nodes, edges }: Picture): string {
  const lines = nodes.map(
    (node) => `  ${dotText(node.id)} [shape=${SHAPES[node.shape]}, label=${dotText(labelOf(node).join('\n'))}];`,
  );
  const arrows = edges.map(({ from, to, label, isBack }) => {
    const about = [
      ...(label === '' ? [] : [`label=${dotText(label)}`]),
      ...(isBack ? ['style=dashed', 'constraint=false'] : []),
    ];
    return `  ${dotText(from)} -> ${dotText(to)}${about.length === 0 ? '' : ` [${about.join(', ')}]`};`;
  });
  return `${['digraph {', `  label=${dotText(title)};`, ...lines, ...arrows, '}'].join('\n')}\n`;
}

const dotText = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
