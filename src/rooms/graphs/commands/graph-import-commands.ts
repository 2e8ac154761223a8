/** Graphs of other programs. */
import { checkGraphValue, fileOfGraph, graphValueIn } from '../../../kit/graphs/graph-files.ts';
import { createGraph } from '../graph-history.ts';
import { loadRoomsConfig } from '../../../kit/house/room-config.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { shownPath } from '../../../kit/settings.ts';
import { jsonSchemaOf } from '../../../core/schema/catalog.ts';
import type { Json } from '../../../core/schema/json.ts';
import { simulatedTools } from '../graph-simulation.ts';
import { importGraph } from '../kinds/import-graph.ts';
import { foreignToolNames } from '../kinds/import-tools.ts';
import type { ImportRemark, ToolNames } from '../kinds/importing.ts';
import { answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { flag, text } from '../../../kit/cli/options.ts';

const dryRun = flag('Only show what would change.');

type Options = { dryRun: boolean; as: string | undefined };

export const commands: Commands = {
  'graph import': command({
    summary: 'Save a graph of Anton as a graph of oka, and say what differs; exit 1 if it cannot be',
    operands: '<file>',
    options: { 'dry-run': dryRun, as: text('ID', 'Another name for the graph.') },
    example: 'oka graph import old/report.json --as report',
    run: async (call) => {
      const { home, rooms, options } = call;
      const tools = await toolNamesIn(home, rooms);
      const config = await loadRoomsConfig(home, rooms);
      const { tools: own = {} } = (config['graph_import'] ?? {}) as { tools?: ToolNames };
      const value = graphValueIn(onlyOperand(call, 'file'));
      const {
        graph: imported,
        notes,
        problems,
      } = importGraph(value, new Set(tools), { ...foreignToolNames, ...own }, await toolInputs(call));
      const graph = { ...imported, ...(options.as !== undefined && { id: options.as }) };
      const found = checkGraphValue(graph, graph.id, tools, await nodeKinds(rooms)).problems;
      const all = [...problems, ...found.map(({ path, problem }) => ({ path, text: problem }))];
      const file = fileOfGraph(home, graph.id);
      const isSaved = all.length === 0 && !options.dryRun && file !== null;
      if (isSaved) await createGraph(call, file, graph, 'imported');
      const data = { graph: graph.id, file: isSaved ? shownPath(home, file) : null, nodes: graph.nodes.length };
      return answer({ ...data, notes, problems: all }, all.length === 0 ? exits.ok : exits.no);
    },
    render: ({ graph, file, nodes, notes, problems }, { green, red }) => {
      const lines = (remarks: readonly ImportRemark[]): string =>
        remarks.map(({ path, text }) => `  ${path}: ${text}\n`).join('');
      const left =
        notes.length === 0 ? '' : `Done differently here, without an effect on the outcome:\n${lines(notes)}`;
      if (problems.length > 0)
        return `${graph} cannot be imported: ${red(count(problems.length, 'problem'))}\n${lines(problems)}${left}`;
      const end =
        file === null
          ? `${graph} can be imported: ${count(nodes, 'node')}.`
          : `${green('Saved')} as ${file}: ${count(nodes, 'node')}. Try it: oka simulate ${graph}`;
      return `${left}${end}\n`;
    },
  }),
};

/** The schemas of the inputs of tools, each made when it is asked for. */
async function toolInputs(call: Call<Options>): Promise<(tool: string) => Json | undefined> {
  const tools = new Map((await simulatedTools(call)).map((tool) => [tool.name, tool.input]));
  return (name) => {
    const input = tools.get(name);
    return input === undefined ? undefined : (jsonSchemaOf(input) as Json);
  };
}
