/**
 * Owns: tidying up .oka/tools: versions that nothing leads to any more. Nothing is asked of the ledger's pen, so any
 * process may do it; a receipt is in the ledger before an installation lets go of the lock.
 */
import { existsSync, realpathSync } from 'node:fs';
import type { Tidied, Tidying } from '../../core/schema/room.ts';
import { join } from 'node:path';
import { START } from '../../core/ledger/line.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { tryRunExclusively } from './install/install-lock.ts';
import { dependencies } from '../../kit/requests/dependency-state.ts';
import { type Prunable, findPrunable, removeFolders } from './install/prune-installed.ts';
import type { Home } from '../../core/schema/home.ts';

type Pruned =
  | { kind: 'busy' }
  /** The ledger is not there, or cannot be read to its end: nobody knows what is needed. */
  | { kind: 'unsure' }
  | { kind: 'pruned'; gone: Prunable[]; bytes: number };

/** No command runs longer than this, so what was replaced before is not in use. */
const LONGEST_COMMAND_MS = 86_400_000;

export const toolsLock = ({ oka }: Pick<Home, 'oka'>): string => join(oka, 'locks', 'tools.lock');

/** `idleMs` is for how long something must have been of no use to anybody. */
export async function pruneTools(
  home: Home,
  { dryRun = false, now = Date.now(), idleMs = LONGEST_COMMAND_MS } = {},
): Promise<Pruned> {
  const folder = join(home.oka, 'tools');
  if (!existsSync(folder)) return { kind: 'pruned', gone: [], bytes: 0 };
  const tools = realpathSync(folder);
  const pruned = await tryRunExclusively(toolsLock(home), async (): Promise<Pruned> => {
    const { state, end, fault } = await peekProjection(home.ledgers.run, home.oka, dependencies);
    if (fault !== null || end.seq === START.seq) return { kind: 'unsure' };
    const gone = await findPrunable(tools, Object.values(state.installed), now - Math.max(idleMs, 0));
    if (!dryRun)
      removeFolders(
        tools,
        gone.map(({ path }) => path),
      );
    return { kind: 'pruned', gone, bytes: gone.reduce((all, { bytes }) => all + bytes, 0) };
  });
  return pruned ?? { kind: 'busy' };
}

/** For tidying; while something is being installed, versions stay for another time. */
export async function tidyTools({ home, isDry, signal }: Tidying): Promise<Pick<Tidied, 'tools' | 'bytes'>> {
  const pruned = signal.aborted ? null : await pruneTools(home, { dryRun: isDry });
  if (pruned?.kind !== 'pruned') return { tools: [], bytes: 0 };
  return { tools: pruned.gone.map(({ path }) => path.slice(-300)), bytes: pruned.bytes };
}
