/** What is wrong with a graph that is about to be changed, and whether the change makes it worse. */
import type { GraphProblem } from '../../core/engine/graph-problem.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { GraphText } from '../../kit/graphs/edit-graph.ts';
import { checkGraphValue } from '../../kit/graphs/graph-files.ts';

/** What `oka graph validate` would list; a value that is no graph at all has one problem. */
export function listProblems(
  { file, value }: Pick<GraphText, 'file' | 'value'>,
  { tools, kinds }: { tools: readonly string[]; kinds: readonly NodeKind[] },
): GraphProblem[] {
  try {
    return checkGraphValue(value, file, tools, kinds).problems;
  } catch (error) {
    if (error instanceof OkaError) return [{ path: '(top)', problem: messageOf(error) }];
    throw error;
  }
}

/** Those that were not there before. */
export function newProblems(before: readonly GraphProblem[], after: readonly GraphProblem[]): GraphProblem[] {
  return after.filter((each) => !before.some(({ path, problem }) => path === each.path && problem === each.problem));
}
