/** The queries of the page of one graph. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseGraphText } from '../../../kit/graphs/edit-graph.ts';
import { fileOfGraph } from '../../../kit/graphs/graph-files.ts';
import { ruleInWords } from '../../../kit/schedule/rule-words.ts';
import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { textFromTemplate } from '../starter-graphs.ts';
import { findVersion, readVersions, textOfVersion } from '../../../kit/graphs/stored-versions.ts';
import { toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { schemaCatalog } from '../../../kit/house/schema-catalog.ts';
import { graphVersion, type SavedVersion } from '../../../core/engine/graph-versions.ts';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
import { jsonSchemaOf } from '../../../core/schema/catalog.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Json } from '../../../core/schema/json.ts';
import { Id, Sha256 } from '../../../core/schema/names.ts';
import { Mode } from '../../../core/schema/run.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { runsOfGraph } from '../../../kit/views/graph-run-view.ts';
import { currentState } from '../../../kit/views/state-view.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { checkGraphText } from './check-query.ts';
import { GraphAnswer, GraphSchemaAnswer, GraphVersionAnswer, toGraphRunRow } from './graph-answers.ts';
import { schedulesByGraph } from './graph-schedules.ts';

const MOST_RUNS = 20;
const MOST_VERSIONS = 50;

export const graphQuery = defineQuery({
  params: z.strictObject({
    graph: Id.describe('The name of the graph.'),
    run: Id.optional().describe('Show how this run went in the picture.'),
    template: Id.optional().describe('For a graph that does not exist yet: the template it starts from.'),
  }),
  answer: GraphAnswer,
  read: async ({ home, params, views }) => {
    const { graph, run, template } = params;
    const versions = await readVersions(home, graph);
    const written = await readText(home, graph, { versions, template });
    const events = run === undefined ? null : await eventsOfRun(home, run);
    const value = valueIn(written.text);
    const current = value === null || written.source !== 'file' ? null : graphVersion(value);
    const rows = await views((all) => ({ runs: readRuns(all, graph), state: readState(all, graph) }));
    return {
      ...(await checkGraphText(home, written.text, events)),
      ...describeGraph(value),
      ...written,
      ...rows,
      graph,
      file: `workspace/graphs/${graph}.json`,
      run: run ?? null,
      versions: versions
        .slice(-MOST_VERSIONS)
        .toReversed()
        .map(({ version, cause, at }) => ({ version, cause, at, current: version === current })),
      schedules: ((await schedulesByGraph(home, Date.now())).get(graph) ?? []).map(
        ({ schedule, title, every, timezone, on, next }) => ({
          schedule,
          title,
          says: ruleInWords(every),
          timezone,
          on,
          next,
        }),
      ),
    };
  },
});

export const graphVersionQuery = defineQuery({
  params: z.strictObject({ graph: Id.describe('The name of the graph.'), version: Sha256.describe('Which version.') }),
  answer: GraphVersionAnswer,
  read: async ({ home, params: { graph, version } }) => {
    const saved = findVersion(await readVersions(home, graph), version);
    return { graph, version, text: await textOfVersion(home, saved) };
  },
});

export const graphSchemaQuery = defineQuery({
  params: z.strictObject({}),
  answer: GraphSchemaAnswer,
  read: async ({ home }) => {
    const { graph } = await schemaCatalog();
    const [names, { simulatedTools }] = await Promise.all([toolNamesIn(home), import('../graph-simulation.ts')]);
    // In a home that lacks something, such as its policy, what tools take is written as JSON.
    const tools = await simulatedTools({ home, rooms: undefined }).catch(() => []);
    return {
      schema: (graph === undefined ? {} : jsonSchemaOf(graph)) as Json,
      tools: names.toSorted(),
      inputs: Object.fromEntries(tools.map(({ name, input }) => [name, jsonSchemaOf(input) as Json])),
    };
  },
});

type Written = Pick<z.infer<typeof GraphAnswer>, 'source' | 'text' | 'sha256'>;

/** A graph without a file is shown as its template would make it, or as it was before it was deleted. */
async function readText(
  home: Home,
  graph: string,
  { versions, template }: { versions: readonly SavedVersion[]; template: string | undefined },
): Promise<Written> {
  const file = fileOfGraph(home, graph);
  if (file !== null && lstatIfPresent(file)?.isFile() === true) {
    const text = readFileSync(file, 'utf8');
    return { source: 'file', text, sha256: hash('sha256', text) };
  }
  if (template !== undefined) return { source: 'template', text: textFromTemplate(template, graph), sha256: null };
  const last = versions.at(-1);
  if (last !== undefined) return { source: 'version', text: await textOfVersion(home, last), sha256: null };
  throw new OkaError('usage', `there is no graph "${graph}" in workspace/graphs`, { fix: 'Choose one of the list.' });
}

type GraphValue = { [field: string]: Json };

function valueIn(text: string): GraphValue | null {
  try {
    return parseGraphText(text, 'this');
  } catch {
    return null; // the page shows its text and what is wrong with it
  }
}

function describeGraph(
  value: GraphValue | null,
): Pick<z.infer<typeof GraphAnswer>, 'title' | 'mode' | 'nodes' | 'inputs'> {
  const { title, mode = 'bounded', nodes, inputs } = value ?? {};
  return {
    title: typeof title === 'string' ? title : null,
    mode: value === null ? null : (Mode.safeParse(mode).data ?? null),
    nodes: Array.isArray(nodes) ? nodes.length : 0,
    inputs: inputs ?? null,
  };
}

function readRuns(rows: Rows, graph: string): z.infer<typeof GraphAnswer>['runs'] {
  return runsOfGraph(rows, { graph, limit: MOST_RUNS }).map((row) => toGraphRunRow(rows, row));
}

function readState(rows: Rows, graph: string): z.infer<typeof GraphAnswer>['state'] {
  return currentState(rows, graph).map(({ key, value, bytes, at, run, by, seq }) => ({
    key,
    value: value ?? null,
    bytes,
    at,
    by: run ?? by ?? 'a person',
    seq,
  }));
}
