import { readableArtifacts } from '../tree/tree-index.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { diffScans, type TreeDiff } from '../model/tree-diff.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { type TreeOptions, workspaceOf } from '../tree-access.ts';
import { shownPath } from '../tree-text.ts';

export async function run(call: Call<TreeOptions>): Promise<Answer<TreeDiff>> {
  const [from, to, ...others] = call.operands;
  if (from === undefined || others.length > 0)
    throw new OkaError('usage', 'say since when: a time, or the root of a scan', {
      fix: 'oka context diff 2026-01-31',
    });
  await requireHome(call.home);
  const opened = await openTreeForReading(call);
  const artifacts = readableArtifacts(call.home);
  const text = (sha256: string): Promise<string | null> =>
    artifacts.get({ sha256 }).then(
      (bytes) => bytes.toString(),
      () => null,
    );
  return answer(await opened.read(workspaceOf(call.options), (tree) => diffScans(tree, from, to, text)));
}

const MARKS = { added: '+', changed: '~', removed: '-' } as const;

export function render({ nodes, frames }: TreeDiff): string {
  const shown = nodes.filter(({ kind, change }) => kind !== 'folder' || change !== 'changed');
  const lines = [
    ...shown.map(({ change, path, kind }) => `${MARKS[change]} ${shownPath(path)}${kind === 'folder' ? '/' : ''}`),
    ...frames.map(
      ({ path, type, agent, id }) => `+ ${type} of ${shownPath(path)} by ${plainText(agent)}  ${id.slice(0, 12)}`,
    ),
    `${count(shown.length, 'node')} and ${count(frames.length, 'frame')} changed.`,
  ];
  return `${lines.join('\n')}\n`;
}
