import { formatLike, readGraphText, replaceGraphText } from '../../../kit/graphs/edit-graph.ts';
import { checkGraphValue, graphFile } from '../../../kit/graphs/graph-files.ts';
import { toolNamesIn, nodeKinds } from '../../../kit/house/room-contributions.ts';
import type { GraphProblem } from '../../../core/engine/graph-problem.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { nameOfGraph } from '../../../kit/graphs/stored-versions.ts';
import { saveVersion } from '../graph-history.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { indentWrapped } from '../../../kit/cli/plain-text.ts';

type Options = { remove: boolean };
/** `pinned`: all nodes whose output is fixed now. A pin that is a problem is not written. */
type Data = { graph: string; pinned: string[]; isWritten: boolean; problems: GraphProblem[] };

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  const { home, rooms } = call;
  const { given, node, output } = pinOperands(call);
  const before = readGraphText(graphFile(home, given));
  const { pins: written, ...rest } = before.value;
  const pins = { ...(written as Record<string, Json> | undefined) };
  if (output === undefined) delete pins[node];
  else pins[node] = output;
  const value = Object.keys(pins).length === 0 ? rest : { ...rest, pins };
  const checked = checkGraphValue(value, before.file, await toolNamesIn(home, rooms), await nodeKinds(rooms));
  const problems = checked.problems.filter(({ path }) => path.startsWith('pins'));
  const after = { file: before.file, text: formatLike(before.text, value), value };
  if (problems.length === 0) {
    await saveVersion(call, before, 'edited');
    replaceGraphText(before, after.text);
    await saveVersion(call, after, 'patched');
  }
  const isWritten = problems.length === 0;
  const data = { graph: nameOfGraph(after), pinned: Object.keys(pins), isWritten, problems };
  return answer(data, isWritten ? exits.ok : exits.no);
}

function pinOperands({ operands, options }: Call<Options>): { given: string; node: string; output: Json | undefined } {
  const [given, node, json, ...more] = operands;
  if (given === undefined || node === undefined || more.length > 0 || (json === undefined) !== options.remove)
    throw new OkaError('usage', 'a graph, a node and its output as JSON are needed', {
      fix: 'Such as: oka graph pin report fetch \'{"rows":[]}\', or without an output and with --remove',
    });
  if (json === undefined) return { given, node, output: undefined };
  try {
    return { given, node, output: JSON.parse(json) as Json };
  } catch (error) {
    throw new OkaError('usage', `the output is not JSON: ${messageOf(error)}`, {
      fix: `A text needs quotes: '"${json}"'`,
    });
  }
}

export function render({ graph, pinned, isWritten, problems }: Data, terminal: Terminal): string {
  const lines = problems.map(({ problem }) => `${indentWrapped(problem, '  ', terminal)}\n`).join('');
  if (!isWritten) return `${graph} not changed\n${lines}`;
  if (pinned.length === 0) return `${graph}: nothing is pinned\n`;
  return `${graph}: pinned, and not run: ${pinned.join(', ')}\n`;
}
