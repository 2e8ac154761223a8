import { validateHomeTree } from '../tree/validate-home-tree.ts';
import type { Validated } from '../model/validate-tree.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { findWorkspace } from '../tree/workspaces.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { type TreeOptions, workspaceOf } from '../tree-access.ts';

type Data = Validated & { workspace: string };

export async function run(call: Call<TreeOptions>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const workspace = workspaceOf(call.options);
  findWorkspace((await openTreeForReading(call)).workspaces, workspace);
  const found = await validateHomeTree(call.home, workspace);
  return answer({ workspace, ...found }, found.problems.length === 0 ? exits.ok : exits.no);
}

export function render({ workspace, nodes, frames, heads, bases, problems }: Data): string {
  const checked = `${count(nodes, 'node')}, ${count(frames, 'frame')}, ${count(heads, 'head')}, ${count(bases, 'basis', 'bases')}`;
  if (problems.length === 0) return `${workspace} is intact: ${checked}.\n`;
  const lines = problems.map(({ what, name, problem }) => `  ${what}  ${plainText(name)}: ${plainText(problem)}`);
  return `${count(problems.length, 'problem')} in ${workspace} (${checked}):\n${lines.join('\n')}\nMake the index again: oka rebuild\n`;
}
