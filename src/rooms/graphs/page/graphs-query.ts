/** The query of the page Graphs: what is in workspace/graphs, and how each of them stands. */
import { join } from 'node:path';
import { z } from 'zod';
import { checkGraphFile, graphNames } from '../../../kit/graphs/graph-files.ts';
import { listTemplates } from '../starter-graphs.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { NodeKind } from '../../../core/schema/node-kind.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { runsOfGraph } from '../../../kit/views/graph-run-view.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { type GraphRunRow, toGraphRunRow } from '../graph-page/graph-answers.ts';
import { schedulesByGraph } from '../graph-page/graph-schedules.ts';
import { type GraphRow, GraphsAnswer } from './graph-list-answers.ts';

export const graphsQuery = defineQuery({
  params: z.strictObject({}),
  answer: GraphsAnswer,
  read: async ({ home, views }) => {
    const names = graphNames(home);
    const [tools, kinds] = [await toolNamesIn(home), await nodeKinds()];
    const schedules = await schedulesByGraph(home, Date.now());
    const last = await views((rows) => new Map(names.map((graph) => [graph, lastRun(rows, graph)])));
    const graphs = names.map((graph) => ({
      graph,
      ...checkOne(home, graph, tools, kinds),
      last_run: last.get(graph) ?? null,
      next: (schedules.get(graph) ?? []).flatMap(({ next }) => next).toSorted()[0] ?? null,
    }));
    return { graphs, templates: listTemplates() };
  },
});

function lastRun(rows: Rows, graph: string): GraphRunRow | undefined {
  return runsOfGraph(rows, { graph, limit: 1 }).map((row) => toGraphRunRow(rows, row))[0];
}

type Checked = Pick<z.infer<typeof GraphRow>, 'title' | 'nodes' | 'mode' | 'author' | 'problem' | 'problems'>;

function checkOne(home: Home, name: string, tools: readonly string[], kinds: readonly NodeKind[]): Checked {
  const file = join(home.workspace, 'graphs', `${name}.json`);
  try {
    const { graph, problems } = checkGraphFile(file, tools, kinds);
    const [first] = problems;
    return {
      title: graph.title ?? null,
      nodes: graph.nodes.length,
      mode: graph.mode,
      author: graph.author,
      problem: first === undefined ? null : `${first.path}: ${first.problem}`,
      problems: problems.length,
    };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    const problem = messageOf(error).replaceAll(file, `${name}.json`);
    return { title: null, nodes: 0, mode: null, author: null, problem, problems: 1 };
  }
}
