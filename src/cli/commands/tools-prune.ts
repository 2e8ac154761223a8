import { pruneTools } from '../../daemon/deps/prune-tools.ts';
import { type Call, exits } from '../command.ts';
import { bytes, count, dim, plainText } from '../plain-text.ts';

export async function run({ home, json, out, flag }: Call): Promise<number> {
  const dryRun = flag('dry-run');
  const pruned = await pruneTools(home, { dryRun });
  if (json) out(`${JSON.stringify({ ...pruned, dry_run: dryRun })}\n`);
  else if (pruned.kind === 'busy') out('A tool is being installed right now. Try again when that is done.\n');
  else if (pruned.kind === 'unsure')
    out('The ledger cannot be read to its end; nothing was touched. See: oka verify\n');
  else {
    for (const { path, bytes: size, since } of pruned.gone)
      out(`${plainText(path)}  ${dim(`${bytes(size)}, of no use since ${since.slice(0, 10)}`)}\n`);
    const what = `${count(pruned.gone.length, 'old version')}, ${bytes(pruned.bytes)}`;
    out(pruned.gone.length === 0 ? 'Nothing can go.\n' : `${what} ${dryRun ? 'would go' : 'gone'}\n`);
  }
  return pruned.kind === 'pruned' ? exits.ok : exits.no;
}
