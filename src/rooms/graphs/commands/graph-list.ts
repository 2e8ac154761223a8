import { join } from 'node:path';
import { checkGraphFile, graphNames } from '../../../kit/graphs/graph-files.ts';
import { toolNamesIn, nodeKinds } from '../../../kit/house/room-contributions.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count } from '../../../kit/cli/plain-text.ts';

/** `problem`: why it could not run, the first of several. */
type Listed = { graph: string; title: string | null; nodes: number; mode: string | null; problem: string | null };
type Data = { graphs: Listed[] };

export async function run({ home, rooms }: Call): Promise<Answer<Data>> {
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

export function render({ graphs }: Data, terminal: Terminal): string {
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
}
