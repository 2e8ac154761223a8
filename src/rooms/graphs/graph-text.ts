/** A graph as text: its nodes, what each needs, and where it goes. */
import type { Graph, Node } from '../../core/schema/graph.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, plainText } from '../../kit/cli/plain-text.ts';
import { wrapWords } from '../../kit/cli/wrap-words.ts';

export function renderGraph(graph: Graph, { bold, dim, width }: Terminal): string {
  const head = `${bold(plainText(graph.title ?? graph.id))}  ${dim(`${count(graph.nodes.length, 'node')}, mode ${graph.mode}`)}`;
  const lines = graph.nodes
    .flatMap((node) => nodeLines(graph, node))
    .flatMap((line) => wrapWords(line, width - 6).map((part, at) => `${at === 0 ? '  ' : '      '}${part}`));
  return `${[head, ...lines].join('\n')}\n`;
}

function nodeLines(graph: Graph, node: Node): string[] {
  const what = node.kind === 'tool' ? node.tool : node.kind;
  const needs = node.needs.length === 0 ? '' : ` after ${node.needs.join(', ')}`;
  return [
    `${node.id} (${what})${needs}${node.title === undefined ? '' : `: ${plainText(node.title)}`}`,
    ...graph.edges.filter((edge) => edge.from === node.id).map((edge) => `  ${edgeText(edge)}`),
  ];
}

function edgeText({ to, when, max }: Graph['edges'][number]): string {
  const condition = when === undefined ? '' : ` if ${when.field} = ${JSON.stringify(when.equals)}`;
  return `→ ${to}${condition}${max === undefined ? '' : `, at most ${max} times`}`;
}
