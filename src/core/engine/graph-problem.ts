/** Owns: how a problem of a graph is reported. */
import { OkaError } from '../schema/errors.ts';

/** `path` points into the graph file, such as nodes.3.needs.0 */
export type GraphProblem = {
  path: string;
  problem: string;
  /** Which rule it is against, such as references or types. */
  rule?: string;
  /** What to do about it, where that is clear. */
  fix?: string;
};

export type Report = (path: string, problem: string, about?: Pick<GraphProblem, 'rule' | 'fix'>) => void;

/** The place of a node in the file; turned into text only for what is reported. */
export type Place = () => string;

const MOST_PROBLEMS = 20;

/** Throws with what is wrong with a graph, if anything is. */
export function assertNoProblems(id: string, problems: readonly GraphProblem[]): void {
  if (problems.length === 0) return;
  const some = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ path, problem, fix }) => `  ${path}: ${problem}${fix === undefined ? '' : `\n    ${fix}`}`);
  const more = problems.length > MOST_PROBLEMS ? [`  and ${problems.length - MOST_PROBLEMS} more`] : [];
  throw new OkaError('invalid-graph', [`graph "${id}" cannot run:`, ...some, ...more].join('\n'), {
    fix: 'Correct these places of the graph, and run it again.',
  });
}
