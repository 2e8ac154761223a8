/** Removes versions of tools that nothing leads to; while something is being installed they stay for another time. */
import type { Tidied, Tidying } from '../../core/schema/room.ts';
import { pruneTools } from './prune-tools.ts';

export async function tidyTools({ home, isDry, signal }: Tidying): Promise<Pick<Tidied, 'tools' | 'bytes'>> {
  const pruned = signal.aborted ? null : await pruneTools(home, { dryRun: isDry });
  if (pruned?.kind !== 'pruned') return { tools: [], bytes: 0 };
  return { tools: pruned.gone.map(({ path }) => path.slice(-300)), bytes: pruned.bytes };
}
