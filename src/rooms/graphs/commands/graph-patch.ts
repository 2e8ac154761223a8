import { formatLike, type GraphText, readGraphText, replaceGraphText } from '../../../kit/graphs/edit-graph.ts';
import { graphFile } from '../../../kit/graphs/graph-files.ts';
import { listProblems, newProblems } from '../graph-problems.ts';
import { toolNamesIn, nodeKinds } from '../../../kit/house/room-contributions.ts';
import type { GraphProblem } from '../../../core/engine/graph-problem.ts';
import { type GraphChange, graphChanges } from '../../../core/engine/graph-changes.ts';
import { graphVersion } from '../../../core/engine/graph-versions.ts';
import { setField } from '../../../core/engine/patch-graph.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { renderChanges } from '../graph-changes-text.ts';
import { nameOfGraph } from '../../../kit/graphs/stored-versions.ts';
import { saveVersion } from '../graph-history.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { indentWrapped } from '../../../kit/cli/plain-text.ts';

type Options = { dryRun: boolean; unset: boolean };
type Data = {
  graph: string;
  version: string;
  isWritten: boolean;
  changes: GraphChange[];
  /** What is wrong with the patched graph; a problem that was not there before prevents the change. */
  problems: GraphProblem[];
};

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  const { home, options } = call;
  const { given, node, field, value } = patchOperands(call);
  const before = readGraphText(graphFile(home, given));
  const patched = setField(before.value, node, field, value);
  const text = formatLike(before.text, patched);
  const after: GraphText = { file: before.file, text, value: patched };
  const changes = graphChanges(before.value, patched);
  const available = { tools: await toolNamesIn(call.home, call.rooms), kinds: await nodeKinds(call.rooms) };
  const [known, problems] = [listProblems(before, available), listProblems(after, available)];
  const isWorse = newProblems(known, problems).length > 0;
  const isWritten = !isWorse && !options.dryRun && changes.length > 0;
  if (isWritten) {
    await saveVersion(call, before, 'edited');
    replaceGraphText(before, text);
    await saveVersion(call, after, 'patched');
  }
  const data = { graph: nameOfGraph(after), version: graphVersion(patched), isWritten, changes, problems };
  return answer(data, isWorse ? exits.no : exits.ok);
}

type Patch = { given: string; node: string; field: string; value: Json | undefined };

function patchOperands({ operands, options }: Call<Options>): Patch {
  const [given, node, field, json, ...more] = operands;
  const isComplete = given !== undefined && node !== undefined && field !== undefined;
  if (!isComplete || more.length > 0 || (json === undefined) !== options.unset)
    throw new OkaError('usage', 'a graph, a node, a field and its value as JSON are needed', {
      fix: 'Such as: oka graph patch report fetch timeout_seconds 30, or without a value and with --unset',
    });
  if (json === undefined) return { given, node, field, value: undefined };
  try {
    return { given, node, field, value: JSON.parse(json) as Json };
  } catch (error) {
    throw new OkaError('usage', `the value is not JSON: ${messageOf(error)}`, {
      fix: `A text needs quotes: '"${json}"'`,
    });
  }
}

export function render({ graph, version, isWritten, changes, problems }: Data, terminal: Terminal): string {
  const { bold, dim, red } = terminal;
  const outcome = isWritten ? 'changed' : changes.length === 0 ? 'is like this already' : 'not changed';
  const lines = problems.map(({ path, problem }) => indentWrapped(`${path}: ${problem}`, '  ', terminal));
  return [
    `${bold(graph)} ${outcome}  ${dim(version.slice(0, 12))}\n`,
    renderChanges(changes, terminal),
    ...(lines.length === 0 ? [] : [`${red('what is wrong with it then:')}\n${lines.join('\n')}\n`]),
  ].join('');
}
