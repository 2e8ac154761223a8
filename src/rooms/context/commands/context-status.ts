import { treeStatus, type TreeStatus } from '../tree/tree-queries.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { type TreeOptions, workspaceOf } from '../tree-access.ts';

type Gone = { path: string; left_at: string };
type Data = TreeStatus & { workspace: string; stale_paths: string[]; gone: Gone[] };

const MOST_SHOWN = 20;

export async function run(call: Call<TreeOptions>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const workspace = workspaceOf(call.options);
  const opened = await openTreeForReading(call);
  return answer(
    await opened.read(workspace, (tree) => ({
      workspace,
      ...treeStatus(call.home, tree),
      stale_paths: [...new Set(tree.stale().map(({ path }) => path))],
      gone: [...tree.places()].flatMap(([path, { left }]) => (left === undefined ? [] : [{ path, left_at: left.at }])),
    })),
  );
}

/** Only the numbers: whoever wants the paths asks for a report. */
export const jsonLines = ({ root, files, folders, frames, stale, scanned_at }: Data): unknown[] => [
  { root, files, folders, frames, stale, scanned_at },
];

export function render(data: Data): string {
  const { workspace, root, files, folders, frames, stale, scanned_at, stale_paths, gone } = data;
  if (root === null) return `${workspace} has not been scanned yet: oka context scan\n`;
  const lines = [
    `${workspace}: ${count(files, 'file')} in ${count(folders, 'folder')}, root ${root.slice(0, 12)}`,
    `${count(frames, 'frame')}, ${stale === 0 ? 'none of them stale' : `${stale} stale`}`,
    `last scan ${scanned_at}`,
    ...stale_paths.slice(0, MOST_SHOWN).map((path) => `  stale  ${plainText(path === '' ? '.' : path)}`),
    ...(stale_paths.length > MOST_SHOWN ? [`  and ${stale_paths.length - MOST_SHOWN} more`] : []),
    ...gone.slice(0, MOST_SHOWN).map(({ path }) => `  gone   ${plainText(path)}  (its frames are still there)`),
  ];
  return `${lines.join('\n')}\n`;
}
