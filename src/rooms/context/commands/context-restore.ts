import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { TreeReader } from '../model/tree-store.ts';
import { openTreeForReading } from '../context-tree.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { changeTree, findHistory, type TreeOptions, workspaceOf } from '../tree-access.ts';
import { shownPath } from '../tree-text.ts';

type Data = { from: string; to: string };

/** For a file that was moved and changed at once, which no scan can recognise. */
export async function run(call: Call<TreeOptions>): Promise<Answer<Data>> {
  const [given, target, ...others] = call.operands;
  if (given === undefined || target === undefined || others.length > 0)
    throw new OkaError('usage', 'name the path that is gone, and the one that gets its frames');
  await requireHome(call.home);
  const workspace = workspaceOf(call.options);
  const opened = await openTreeForReading(call);
  const { from, to } = await opened.read(workspace, (tree) => ({
    from: pathOfHistory(tree, given),
    to: tree.find(target),
  }));
  await changeTree(call, { kind: 'restore_node', workspace, from, to });
  return answer({ from, to });
}

/** A path that the tree does not know is passed on as it is: the error of whoever restores it says what is wrong. */
function pathOfHistory(tree: TreeReader, given: string): string {
  return tree.node(given) === null && !/^[0-9a-f]{4,64}$/.test(given) ? given : findHistory(tree, given);
}

export const render = ({ from, to }: Data): string =>
  `The frames of ${shownPath(from)} belong to ${shownPath(to)} now.\n`;
