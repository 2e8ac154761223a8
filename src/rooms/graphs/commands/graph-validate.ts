import { checkGraphFile } from '../../../kit/graphs/graph-files.ts';
import { toolNamesIn, nodeKinds } from '../../../kit/house/room-contributions.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { graphOperand } from '../graph-operand.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = {
  graph: string;
  valid: boolean;
  problems: ReturnType<typeof checkGraphFile>['problems'];
  nodes: number;
  mode: string;
};

export async function run(call: Call): Promise<Answer<Data>> {
  const { graph, problems } = checkGraphFile(
    graphOperand(call),
    await toolNamesIn(call.home, call.rooms),
    await nodeKinds(call.rooms),
  );
  const valid = problems.length === 0;
  const data = { graph: graph.id, valid, problems, nodes: graph.nodes.length, mode: graph.mode };
  return answer(data, valid ? exits.ok : exits.no);
}

export const jsonLines = ({ graph, valid, problems }: Data): object[] => [{ graph, valid, problems }];

export function render({ graph, valid, problems, nodes, mode }: Data, { green, red, dim }: Terminal): string {
  if (valid) return `${graph} is ${green('valid')}: ${count(nodes, 'node')}, mode ${mode}\n`;
  const lines = problems.map(
    ({ path, rule, problem, fix }) =>
      `  ${path}: ${problem}${rule === undefined ? '' : dim(` (${rule})`)}\n${fix === undefined ? '' : `    ${fix}\n`}`,
  );
  return `${graph} has ${red(count(problems.length, 'problem'))}:\n${lines.join('')}`;
}
