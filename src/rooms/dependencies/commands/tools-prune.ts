import { pruneTools } from '../prune-tools.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { bytes, count, plainText } from '../../../kit/cli/plain-text.ts';

type Data = Awaited<ReturnType<typeof pruneTools>> & { dry_run: boolean };

export async function run({ home, options }: Call<{ dryRun: boolean }>): Promise<Answer<Data>> {
  const pruned = await pruneTools(home, { dryRun: options.dryRun });
  return answer({ ...pruned, dry_run: options.dryRun }, pruned.kind === 'pruned' ? exits.ok : exits.no);
}

export function render(data: Data, { dim }: Terminal): string {
  if (data.kind === 'busy') return 'A tool is being installed right now. Try again when that is done.\n';
  if (data.kind === 'unsure') return 'The ledger cannot be read to its end; nothing was touched. See: oka verify\n';
  if (data.gone.length === 0) return 'Nothing can be removed.\n';
  const lines = data.gone.map(
    ({ path, bytes: size, since }) =>
      `${plainText(path)}  ${dim(`${bytes(size)}, unused since ${since.slice(0, 10)}`)}\n`,
  );
  const what = `${count(data.gone.length, 'old version')}, ${bytes(data.bytes)}`;
  return `${lines.join('')}${what} ${data.dry_run ? 'would be removed' : 'removed'}\n`;
}
