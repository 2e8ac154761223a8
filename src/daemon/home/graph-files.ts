/** Graph files: read, checked against the schema, found by name in workspace/graphs. */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkGraph, type GraphProblem } from '../../engine/check-graph.ts';
import { stepAcceptanceProblem } from '../../roles/step-acceptance.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import { Graph } from '../../schema/graph.ts';
import type { Home } from '../../schema/home.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The graph in a file, or an error that names every field that is wrong. */
export function loadGraph(file: string): Graph {
  const parsed = Graph.safeParse(jsonIn(file));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || '(top)'}: ${issue.message}`);
  throw new OkaError('invalid-graph', `${file} is not a graph:\n${problems.join('\n')}`, {
    fix: 'See what is possible: oka schema graph',
  });
}

export function problemsIn(graph: Graph, tools: readonly string[]): GraphProblem[] {
  return checkGraph(graph, { tools: new Set(tools), acceptance: stepAcceptanceProblem });
}

/** Graphs that other graphs may name: workspace/graphs/<id>.json */
export function graphsIn(home: Home): (id: string) => Graph | undefined {
  return (id) => {
    const file = join(home.workspace, 'graphs', `${id}.json`);
    return /^[\w.-]+$/.test(id) && lstatSync(file, { throwIfNoEntry: false })?.isFile() ? loadGraph(file) : undefined;
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
