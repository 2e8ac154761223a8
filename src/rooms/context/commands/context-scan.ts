import type { ScanResult } from '../../../kit/ports/tree-port.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { bytes, count } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { scanTree, type TreeOptions, workspaceOf } from '../tree-access.ts';

type Data = ScanResult & { workspace: string };

/** Reads what has changed since the last scan, and records the difference as one event. */
export async function run(call: Call<TreeOptions & { force: boolean }>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const workspace = workspaceOf(call.options);
  const progress = call.progress(`scanning ${workspace}`, 'files');
  const { force } = call.options;
  const result = await scanTree(call, workspace, { force, signal: call.signal, onProgress: progress.reach });
  progress.end();
  return answer({ workspace, ...result });
}

export function render({ root, base, files, folders, bytes: size, skipped, ...found }: Data): string {
  const tree = `${count(files, 'file')} in ${count(folders, 'folder')}, ${bytes(size)}`;
  const noted = skipped === 0 ? '' : ` ${skipped} could not be read, or are too large (oka context show lists them).`;
  const { added, changed, removed, read } = found;
  const news =
    root === base
      ? 'Nothing has changed.'
      : `${added} added, ${changed} changed, ${removed} removed; ${count(read, 'file')} read.`;
  return `${news} ${tree}.${noted}\nRoot ${root.slice(0, 12)}\n`;
}
