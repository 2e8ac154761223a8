import { checkGraphFile } from '../../daemon/home/graph-files.ts';
import { toolNames } from '../../daemon/tool-names.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { count, green, red } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const { graph, problems } = checkGraphFile(onlyOperand(call, 'file'), toolNames());
  if (call.json) call.out(`${JSON.stringify({ graph: graph.id, valid: problems.length === 0, problems })}\n`);
  else if (problems.length === 0)
    call.out(`${graph.id} is ${green('valid')}: ${count(graph.nodes.length, 'node')}, mode ${graph.mode}\n`);
  else
    call.out(
      `${graph.id} has ${red(count(problems.length, 'problem'))}:\n${problems.map(({ path, problem }) => `  ${path}: ${problem}\n`).join('')}`,
    );
  return problems.length === 0 ? exits.ok : exits.no;
}
