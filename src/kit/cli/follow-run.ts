/** Owns: following one run and those inside it: its events from the ledger, what it writes from the live stream. */
import { followLive } from '../socket/follow-live.ts';
import type { Home } from '../../core/schema/home.ts';
import { changes, knownNow } from '../views/changes.ts';
import type { FollowedRun } from './followed-run.ts';

/** Resolves when the run has ended, or at the signal. */
export async function followRun(
  home: Home,
  id: string,
  signal: AbortSignal,
  emit: (data: FollowedRun) => void,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const inside = (run: string | null): boolean => run === id || (run?.startsWith(`${id}.`) ?? false);
  void followLive(home, either, (live) => (inside(live.run) ? emit({ live }) : undefined));
  try {
    for await (const event of changes(home.ledgers, knownNow(home.ledgers, ['run']), { signal: either })) {
      if (!inside(event.run)) continue;
      emit({ event });
      if (event.type === 'run.ended' && event.run === id) return;
    }
  } finally {
    stop.abort();
  }
}
