/** Making graphs, and changing them. */
import {
  createGraphText,
  formatLike,
  type GraphText,
  parseGraphText,
  readGraphText,
  removeGraphFile,
  replaceGraphText,
} from '../../../kit/graphs/edit-graph.ts';
import { checkGraphValue, fileOfGraph, graphFile } from '../../../kit/graphs/graph-files.ts';
import { type GraphTemplate, listTemplates, textFromTemplate } from '../starter-graphs.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { saveVersion } from '../graph-history.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { nameOfGraph } from '../../../kit/graphs/stored-versions.ts';
import { graphOperand } from '../graph-operand.ts';
import { listProblems, newProblems } from '../graph-problems.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import type { GraphProblem } from '../../../core/engine/graph-problem.ts';
import { graphChanges } from '../../../core/engine/graph-changes.ts';
import { graphVersion } from '../../../core/engine/graph-versions.ts';
import { setField } from '../../../core/engine/patch-graph.ts';
import type { Json } from '../../../core/schema/json.ts';
import { renderChanges } from '../graph-changes-text.ts';
import { indentWrapped } from '../../../kit/cli/plain-text.ts';
import { flag, text } from '../../../kit/cli/options.ts';

const dryRun = flag('Only show what would change.');

type NewData = { templates: GraphTemplate[] } | { graph: string; file: string; version: string };

type Options = { dryRun: boolean; unset: boolean };

type Patch = { given: string; node: string; field: string; value: Json | undefined };

type PinOptions = { remove: boolean };

/** `pinned`: all nodes whose output is fixed now. A pin that is a problem is not written. */
type PinData = { graph: string; pinned: string[]; isWritten: boolean; problems: GraphProblem[] };

export const commands: Commands = {
  'graph new': command({
    summary: 'Start a graph from a template that needs no model; without one, list them',
    operands: '[template]',
    options: { as: text('NAME', 'Its name (default: that of the template).') },
    example: 'oka graph new page-watch --as prices',
    run: graphNew,
    render: (data, terminal) => {
      if ('templates' in data)
        return renderColumns(
          data.templates,
          [
            { text: ({ template }) => `oka graph new ${template}`, style: terminal.bold },
            { text: ({ title }) => title, grows: true },
          ],
          terminal,
        );
      const { graph, file } = data;
      return `Created ${terminal.bold(graph)}  ${terminal.dim(file)}\nEdit the file, check it with oka graph validate ${graph}, and run it with oka graph run ${graph}\n`;
    },
  }),
  'graph delete': command({
    summary: 'Delete a graph; its versions stay, and rollback restores it',
    operands: '<graph>',
    options: { yes: flag('Do not ask.') },
    example: 'oka graph delete report --yes',
    /** Its versions stay, so that it can be restored. */
    run: async (call) => {
      const graph = readGraphText(graphOperand(call));
      const name = nameOfGraph(graph);
      if (!call.options.yes && !(await isConfirmed(call, name)))
        return answer({ graph: name, file: graph.file, deleted: false }, exits.no);
      await saveVersion(call, graph, 'deleted');
      removeGraphFile(graph);
      return answer({ graph: name, file: graph.file, deleted: true });
    },
    render: ({ graph, deleted }) =>
      deleted ? `Deleted ${graph}. Restore it with: oka graph rollback ${graph}\n` : `${graph} was not deleted.\n`,
  }),
  'graph patch': command({
    summary: 'Set one field of a node, if the graph is sound then; the old version is saved',
    operands: '<graph> <node> <field> <json>',
    options: { 'dry-run': dryRun, unset: flag('Remove the field; without a value.') },
    example: 'oka graph patch report fetch timeout_seconds 30',
    run: async (call) => {
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
    },
    render: ({ graph, version, isWritten, changes, problems }, terminal) => {
      const { bold, dim, red } = terminal;
      const outcome = isWritten ? 'changed' : changes.length === 0 ? 'is like this already' : 'not changed';
      const lines = problems.map(({ path, problem }) => indentWrapped(`${path}: ${problem}`, '  ', terminal));
      return [
        `${bold(graph)} ${outcome}  ${dim(version.slice(0, 12))}\n`,
        renderChanges(changes, terminal),
        ...(lines.length === 0 ? [] : [`${red('what is wrong with it then:')}\n${lines.join('\n')}\n`]),
      ].join('');
    },
  }),
  'graph pin': command({
    summary: 'Fix the output of a node while you write a graph, so that it is not run; or remove that again',
    operands: '<graph> <node> [<json>]',
    options: { remove: flag('Remove the pin.') },
    example: 'oka graph pin report fetch \'{"rows":[1,2]}\'',
    run: graphPin,
    render: ({ graph, pinned, isWritten, problems }, terminal) => {
      const lines = problems.map(({ problem }) => `${indentWrapped(problem, '  ', terminal)}\n`).join('');
      if (!isWritten) return `${graph} not changed\n${lines}`;
      if (pinned.length === 0) return `${graph}: nothing is pinned\n`;
      return `${graph}: pinned, and not run: ${pinned.join(', ')}\n`;
    },
  }),
};

/** Without a template it lists them. */
async function graphNew(call: Call<{ as: string | undefined }>): Promise<Answer<NewData>> {
  if (call.operands.length === 0) return answer({ templates: listTemplates() });
  await requireHome(call.home);
  const template = onlyOperand(call, 'template');
  const name = call.options.as ?? template;
  const text = textFromTemplate(template, name);
  const file = fileOfGraph(call.home, name);
  if (file === null) throw new OkaError('usage', `"${name}" cannot be the name of a graph`);
  createGraphText(file, text);
  const version = await saveVersion(call, { file, text, value: parseGraphText(text, name) }, 'created');
  return answer({ graph: name, file, version });
}

async function isConfirmed({ openDialog }: Call<{ yes: boolean }>, name: string): Promise<boolean> {
  if (openDialog === null)
    throw new OkaError('usage', `nobody is there to confirm that ${name} is to be deleted`, { fix: 'Add --yes.' });
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`Delete the graph ${name}? Its versions stay. [y/N] `));
}

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

function pinOperands({ operands, options }: Call<PinOptions>): {
  given: string;
  node: string;
  output: Json | undefined;
} {
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

async function graphPin(call: Call<PinOptions>): Promise<Answer<PinData>> {
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
