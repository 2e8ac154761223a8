import { loadGraph } from '../../daemon/home/graph-files.ts';
import type { Graph, Node } from '../../schema/graph.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { bold, count, dim, fitText, plainText, WIDTH } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const graph = loadGraph(onlyOperand(call, 'file'));
  if (call.json) call.out(`${JSON.stringify(graph)}\n`);
  else
    call.out(
      `${bold(plainText(graph.title ?? graph.id))}  ${dim(`${count(graph.nodes.length, 'node')}, mode ${graph.mode}`)}\n${graph.nodes.map((node) => lineOf(graph, node)).join('')}`,
    );
  return exits.ok;
}

function lineOf(graph: Graph, node: Node): string {
  const what = node.kind === 'tool' ? node.tool : node.kind;
  const edges = graph.edges
    .filter((edge) => edge.from === node.id)
    .map(
      (edge) =>
        `→ ${edge.to}${edge.when === undefined ? '' : ` if ${edge.when.field} = ${JSON.stringify(edge.when.equals)}`}${edge.max === undefined ? '' : `, at most ${edge.max} times`}`,
    );
  const lines = [
    `${node.id} (${what})${node.needs.length === 0 ? '' : ` after ${node.needs.join(', ')}`}${node.title === undefined ? '' : `: ${plainText(node.title)}`}`,
    ...edges.map((edge) => `  ${edge}`),
  ];
  return lines.map((line) => `  ${fitText(line, WIDTH - 2)}\n`).join('');
}
