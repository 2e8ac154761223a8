/** Graph files: read, checked against the schema, found by name in workspace/graphs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertNoProblems, type GraphProblem } from '../../core/engine/graph-problem.ts';
import type { OutputSchemas } from '../../core/engine/data-contract.ts';
import { readGraph } from '../../core/engine/lower.ts';
import { isLooser } from '../../core/engine/mode-rules.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { stepAcceptanceProblem } from '../task/step-acceptance.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Home } from '../../core/schema/home.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';
import { nearestWord } from '../../core/schema/nearest-word.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { Mode } from '../../core/schema/run.ts';
import { parseGraphText } from './edit-graph.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The graph in a file, lowered to instructions, or an error that names every field that is wrong. */
export function loadGraph(file: string, kinds: readonly NodeKind[] = []): Graph {
  return loadGraphText(file, kinds).graph;
}

/** The same, with the text that it was read from. */
export function loadGraphText(file: string, kinds: readonly NodeKind[] = []): { graph: Graph; text: string } {
  const text = textIn(file);
  return { graph: readGraph(parseGraphText(text, file), kinds, file).graph, text };
}

/** The JSON of a graph file, whoever wrote it. */
export function graphValueIn(file: string): unknown {
  return parseGraphText(textIn(file), file);
}

/** `isForced`: a looser mode than that of the graph is meant. */
type RunTerms = { mode?: Mode | undefined; isForced?: boolean };

export type RunnableGraph = {
  graph: Graph;
  text: string;
  /** The mode that the graph has in the file, where a looser one was forced. */
  loosenedFrom?: Mode;
};

/**
 * The graph in a file for a run, in another mode if one is asked for: a looser one only by force. Throws when the graph
 * breaks a rule that can only be seen in the file; all others are checked when the run starts.
 */
export function loadRunnableGraph(file: string, kinds: readonly NodeKind[], asked: RunTerms = {}): RunnableGraph {
  return runnableGraph(textIn(file), file, kinds, asked);
}

/** The same for a text that another process has read from a file. */
export function runnableGraph(text: string, file: string, kinds: readonly NodeKind[], asked: RunTerms): RunnableGraph {
  const value = parseGraphText(text, file);
  const own = readGraph(value, kinds, file);
  const { mode = own.graph.mode, isForced = false } = asked;
  const isLoosened = isLooser(mode, own.graph.mode);
  if (isLoosened && !isForced)
    throw new OkaError('usage', `${own.graph.id} has the mode ${own.graph.mode}, and ${mode} is looser`, {
      fix: `Use --force as well if you want that for this run, or change "mode" in the graph.`,
    });
  const { graph, sourceProblems } =
    mode === own.graph.mode ? own : readGraph({ ...(value as object), mode }, kinds, file);
  assertNoProblems(graph.id, sourceProblems());
  return { graph, text, ...(isLoosened ? { loosenedFrom: own.graph.mode } : {}) };
}

/** The same, with what is wrong in it for this set of tools; `outputs` says what they give, where that is known. */
export function checkGraphFile(
  file: string,
  tools: readonly string[],
  kinds: readonly NodeKind[] = [],
  outputs?: OutputSchemas,
): { graph: Graph; problems: GraphProblem[] } {
  return checkGraphValue(graphValueIn(file), file, tools, kinds, outputs);
}

/** The same for a value that is not in a file yet; `name` is what to call it when it is no graph at all. */
export function checkGraphValue(
  value: unknown,
  name: string,
  tools: readonly string[],
  kinds: readonly NodeKind[] = [],
  outputs?: OutputSchemas,
): { graph: Graph; problems: GraphProblem[] } {
  const { graph, problems } = readGraph(value, kinds, name);
  const around = { tools: new Set(tools), acceptance: stepAcceptanceProblem };
  return { graph, problems: problems(outputs === undefined ? around : { ...around, outputs }) };
}

/** The file of a graph that a person named: a path, or the name of a graph in workspace/graphs. */
export function graphFile(home: Home, given: string): string {
  const named = fileOfGraph(home, given);
  if (named !== null && isPlainFile(named)) return named;
  if (isPlainFile(given)) return given;
  if (named === null || given.endsWith('.json')) throw new OkaError('usage', `${given} is not there`);
  const guess = nearestWord(given, graphNames(home));
  throw new OkaError('usage', `there is no graph "${given}" in workspace/graphs, and no file of that name`, {
    fix: guess === null ? 'List the graphs: oka graph list' : `Did you mean: ${guess}? List the graphs: oka graph list`,
  });
}

/** The names of the graphs in workspace/graphs, in order. */
export function graphNames(home: Home): string[] {
  const folder = join(home.workspace, 'graphs');
  if (!lstatIfPresent(folder)?.isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && ID_SHAPE.test(name) && isPlainFile(join(folder, name)))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

/** Where the graph of this name is, or would be; null for what cannot be a name. */
export function fileOfGraph(home: Home, name: string): string | null {
  return ID_SHAPE.test(name) ? join(home.workspace, 'graphs', `${name}.json`) : null;
}

const isPlainFile = (file: string): boolean => lstatIfPresent(file)?.isFile() === true;

/** Graphs that other graphs may name: workspace/graphs/<id>.json */
export function graphsIn(home: Home, kinds: readonly NodeKind[] = []): (id: string) => Graph | undefined {
  return (id) => {
    const file = fileOfGraph(home, id);
    return file !== null && isPlainFile(file) ? loadRunnableGraph(file, kinds).graph : undefined;
  };
}

function textIn(file: string): string {
  const found = lstatIfPresent(file);
  if (found === undefined) throw new OkaError('usage', `${file} is not there`);
  if (!found.isFile() || found.size > MOST_BYTES)
    throw new OkaError('invalid-graph', `${file} is not a plain file of at most ${MOST_BYTES / 1024 / 1024} MB`);
  return readFileSync(file, 'utf8');
}
