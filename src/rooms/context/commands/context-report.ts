/** The state of the context tree as a page of markdown, for CI; exits 1 when too much is stale, or something is broken. */
import { validateHomeTree } from '../tree/validate-home-tree.ts';
import { DEFAULT_WORKSPACE } from '../../../core/schema/tree.ts';
import type { TreeReader } from '../model/tree-store.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { scanTree } from '../tree-access.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = { maxStale: number | undefined; workspace: string | undefined };
type Listed = { path: string; type: string; reason: string };
type Data = {
  workspace: string;
  root: string | null;
  scanned_at: string | null;
  files: number;
  folders: number;
  frames: number;
  max_stale: number;
  stale: Listed[];
  /** What `oka context validate` found. */
  broken: string[];
};

const MOST_LINES = 200;

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const { maxStale = 0, workspace = DEFAULT_WORKSPACE } = call.options;
  await scanTree(call, workspace, { signal: call.signal });
  const tree = await openTreeForReading(call);
  const found = await tree.read(workspace, describeTree);
  const { problems } = await validateHomeTree(call.home, workspace);
  const broken = problems.map(({ what, name, problem }) => `${what} ${name}: ${problem}`);
  const data = { workspace, ...found, max_stale: maxStale, broken };
  const isBad = data.root === null || data.stale.length > maxStale || broken.length > 0;
  return answer(data, isBad ? exits.no : exits.ok);
}

function describeTree(reader: TreeReader): Omit<Data, 'workspace' | 'max_stale' | 'broken'> {
  const summary = reader.summary();
  let frames = 0;
  for (const [path, { left }] of reader.places()) if (left === undefined) frames += reader.heads(path).length;
  return {
    root: summary?.root ?? null,
    scanned_at: summary?.scanned_at ?? null,
    files: summary?.files ?? 0,
    folders: summary?.folders ?? 0,
    frames,
    stale: reader.stale().map(({ path, type, reason }) => ({ path, type, reason })),
  };
}

export function render(data: Data): string {
  const { workspace, root, scanned_at: at, files, folders, frames, stale, max_stale: most, broken } = data;
  const title = `# Context of ${plainText(workspace)}\n\n`;
  if (root === null) return `${title}It has not been scanned yet: oka context scan\n`;
  const state = stale.length === 0 ? 'Everything is up to date.' : `${stale.length} stale (at most ${most} allowed).`;
  const lines = stale
    .slice(0, MOST_LINES)
    .map(({ path, type, reason }) => `| ${cell(path)} | ${type} | ${cell(reason)} |`);
  const more = stale.length > MOST_LINES ? `\n… and ${stale.length - MOST_LINES} more\n` : '';
  const table = stale.length === 0 ? '' : `\n| path | type | why |\n|---|---|---|\n${lines.join('\n')}\n${more}`;
  const problems = broken.slice(0, MOST_LINES).map((problem) => `- ${plainText(problem)}\n`);
  const damage = broken.length === 0 ? '' : `\n## Broken\n\n${problems.join('')}\nMake the index again: oka rebuild\n`;
  return `${title}Root \`${root.slice(0, 12)}\`, scanned ${at}: ${files} files, ${folders} folders, ${frames} frames. ${state}\n${table}${damage}`;
}

const cell = (text: string): string => plainText(text === '' ? '.' : text).replaceAll('|', '\\|');
