/** The graphs of people: listing, looking at and checking them. */
import { join } from 'node:path';
import { checkGraphFile, graphNames, loadGraph, loadGraphText } from '../../../kit/graphs/graph-files.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { graphVersion } from '../../../core/engine/graph-versions.ts';
import type { Json } from '../../../core/schema/json.ts';
import { parseGraphText, readGraphText } from '../../../kit/graphs/edit-graph.ts';
import { outputSchemas, simulatedTools } from '../graph-simulation.ts';
import { renderGraph } from '../graph-text.ts';
import { graphOperand } from '../graph-operand.ts';
import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { replaceFile } from '../../../core/ledger/disk.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { toDot, toMermaid } from '../../../kit/views/picture/diagram-text.ts';
import { type Picture, pictureOf, withRun } from '../../../kit/views/picture/graph-picture.ts';
import { toSvg } from '../../../kit/views/picture/svg.ts';
import { choice, text } from '../../../kit/cli/options.ts';

/** `problem`: why it could not run, the first of several. */
type Listed = { graph: string; title: string | null; nodes: number; mode: string | null; problem: string | null };

type ListData = { graphs: Listed[] };

const FORMATS = { mermaid: toMermaid, svg: toSvg, dot: toDot } as const;

type Format = keyof typeof FORMATS;

type Options = { format: Format | undefined; run: string | undefined; out: string | undefined };

export const commands: Commands = {
  'graph list': command({
    summary: 'List the graphs in workspace/graphs, and whether each can run',
    example: 'oka graph list',
    run: graphList,
    render: ({ graphs }, terminal) => {
      if (graphs.length === 0) return 'No graphs in workspace/graphs yet. Start with one: oka graph new\n';
      return renderColumns(
        graphs,
        [
          { text: ({ graph }) => graph, style: terminal.bold },
          { text: ({ nodes, mode }) => (mode === null ? '' : `${count(nodes, 'step')}, ${mode}`), style: terminal.dim },
          { text: ({ problem }) => (problem === null ? 'valid' : 'cannot run'), style: styleOf },
          { text: ({ title, problem }) => problem ?? title ?? '', grows: true },
        ],
        terminal,
      );

      function styleOf(text: string, { problem }: Listed): string {
        return problem === null ? terminal.green(text) : terminal.red(text);
      }
    },
  }),
  'graph show': command({
    summary: 'Show the steps of a graph and what each needs',
    operands: '<graph>',
    example: 'oka graph show report',
    run: async (call) => {
      const file = graphOperand(call);
      const { graph, text } = loadGraphText(file, await nodeKinds(call.rooms));
      return answer({ ...graph, hash: graphVersion(parseGraphText(text, file) as Json) });
    },
    render: renderGraph,
  }),
  'graph validate': command({
    summary: 'List everything that is wrong with a graph; exit 1 if something is',
    operands: '<graph>',
    example: 'oka graph validate report.json',
    run: async (call) => {
      const { graph, problems } = checkGraphFile(
        graphOperand(call),
        await toolNamesIn(call.home, call.rooms),
        await nodeKinds(call.rooms),
        outputSchemas(await simulatedTools(call)),
      );
      const valid = problems.length === 0;
      const data = { graph: graph.id, valid, problems, nodes: graph.nodes.length, mode: graph.mode };
      return answer(data, valid ? exits.ok : exits.no);
    },
    render: ({ graph, valid, problems, nodes, mode }, { green, red, dim }) => {
      if (valid) return `${graph} is ${green('valid')}: ${count(nodes, 'node')}, mode ${mode}\n`;
      const lines = problems.map(
        ({ path, rule, problem, fix }) =>
          `  ${path}: ${problem}${rule === undefined ? '' : dim(` (${rule})`)}\n${fix === undefined ? '' : `    ${fix}\n`}`,
      );
      return `${graph} has ${red(count(problems.length, 'problem'))}:\n${lines.join('')}`;
    },
    jsonLines: ({ graph, valid, problems }) => [{ graph, valid, problems }],
  }),
  'graph render': command({
    summary: 'Draw a graph, or how a run of it went, as Mermaid, SVG or Graphviz',
    operands: '<graph>',
    options: {
      format: choice(['mermaid', 'svg', 'dot'], 'FORMAT', 'mermaid (default), svg or dot; -o x.svg says it, too.'),
      run: text('RUN', 'Show how this run went.'),
      out: text('FILE', 'Write the picture into a file.', 'o'),
    },
    example: 'oka graph render report -o report.svg',
    run: async (call) => {
      const { out, run: given } = call.options;
      const format = call.options.format ?? formatOfFile(out);
      const file = graphOperand(call);
      const { id } = loadGraph(file, await nodeKinds(call.rooms));
      const plain = pictureOf(readGraphText(file).value);
      const name = given === undefined ? null : await findRunName(call, given);
      const picture = FORMATS[format](name === null ? plain : await pictureWithRun(call, plain, id, name));
      if (out !== undefined) replaceFile(out, picture);
      return answer({ graph: id, format, run: name, file: out ?? null, picture });
    },
    render: ({ file, picture }) => (file === null ? picture : `Wrote ${file}\n`),
  }),
};

async function graphList({ home, rooms }: Call): Promise<Answer<ListData>> {
  const [tools, kinds] = [await toolNamesIn(home, rooms), await nodeKinds(rooms)];
  const graphs = graphNames(home).map((name): Listed => {
    const file = join(home.workspace, 'graphs', `${name}.json`);
    try {
      const { graph, problems } = checkGraphFile(file, tools, kinds);
      const [first] = problems;
      const problem = first === undefined ? null : `${first.path}: ${first.problem}`;
      return { graph: name, title: graph.title ?? null, nodes: graph.nodes.length, mode: graph.mode, problem };
    } catch (error) {
      if (!(error instanceof OkaError)) throw error;
      return { graph: name, title: null, nodes: 0, mode: null, problem: messageOf(error).replace(file, 'it') };
    }
  });
  return answer({ graphs });
}

async function pictureWithRun({ home }: Call<Options>, plain: Picture, graph: string, run: string): Promise<Picture> {
  const events = await eventsOfRun(home, run);
  const started = events.find((event) => event.type === 'run.started');
  if (started?.data.graph.id === graph) return withRun(plain, events);
  throw new OkaError('usage', `${run} is no run of the graph ${graph}`, {
    fix: `List its runs: oka graph runs ${graph}`,
  });
}

/** The ending of the file says what is wanted; Mermaid where nothing does. */
function formatOfFile(out: string | undefined): Format {
  const ending = out?.split('.').at(-1);
  return ending === 'svg' || ending === 'dot' ? ending : 'mermaid';
}
