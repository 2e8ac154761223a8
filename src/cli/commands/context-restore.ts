import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { requireHome } from '../require-home.ts';
import { changeTree, findHistory, type TreeOptions, workspaceOf } from '../tree-access.ts';
import { shownPath } from '../tree-text.ts';

type Data = { from: string; to: string };

/** For a file that was moved and changed at once, which no scan can recognise. */
export async function run(call: Call<TreeOptions>): Promise<Answer<Data>> {
  const [given, target, ...others] = call.operands;
  if (given === undefined || target === undefined || others.length > 0)
    throw new OkaError('usage', 'name the path that is gone, and the one that gets its frames');
  requireHome(call.home);
  const workspace = workspaceOf(call.options);
  const opened = await openTreeForReading(call);
  const { from, to } = await opened.read(workspace, (tree) => ({
    from: findHistory(tree, given),
    to: tree.find(target),
  }));
  await changeTree(call, { kind: 'restore_node', workspace, from, to });
  return answer({ from, to });
}

export const render = ({ from, to }: Data): string =>
  `The frames of ${shownPath(from)} belong to ${shownPath(to)} now.\n`;
