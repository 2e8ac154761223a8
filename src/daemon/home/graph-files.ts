/** Graph files: read, checked against the schema, found by name in workspace/graphs. */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphProblem } from '../../engine/check-graph.ts';
import { readGraph } from '../../engine/lower.ts';
import { stepAcceptanceProblem } from '../../roles/step-acceptance.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Graph } from '../../schema/graph.ts';
import type { Home } from '../../schema/home.ts';
import type { NodeKind } from '../../schema/node-kind.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The graph in a file, lowered to instructions, or an error that names every field that is wrong. */
export function loadGraph(file: string, kinds: readonly NodeKind[] = []): Graph {
  return readGraph(jsonIn(file), kinds, file).graph;
}

/** The same, with what is wrong in it for this set of tools. */
export function checkGraphFile(
  file: string,
  tools: readonly string[],
  kinds: readonly NodeKind[] = [],
): { graph: Graph; problems: GraphProblem[] } {
  const { graph, problems } = readGraph(jsonIn(file), kinds, file);
  return { graph, problems: problems({ tools: new Set(tools), acceptance: stepAcceptanceProblem }) };
}

/** Graphs that other graphs may name: workspace/graphs/<id>.json */
export function graphsIn(home: Home, kinds: readonly NodeKind[] = []): (id: string) => Graph | undefined {
  return (id) => {
    const file = join(home.workspace, 'graphs', `${id}.json`);
    return /^[\w.-]+$/.test(id) && lstatSync(file, { throwIfNoEntry: false })?.isFile()
      ? loadGraph(file, kinds)
      : undefined;
  };
}

function jsonIn(file: string): unknown {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new OkaError('usage', `${file} is not there`);
  if (!found.isFile() || found.size > MOST_BYTES)
    throw new OkaError('invalid-graph', `${file} is not a plain file of at most ${MOST_BYTES / 1024 / 1024} MB`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OkaError('invalid-graph', `${file} is not JSON: ${messageOf(error)}`);
  }
}
