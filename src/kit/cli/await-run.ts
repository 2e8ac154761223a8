/** Owns: waiting for a run that the worker drives, until it is over or only a person can help it on. */
import { foldRun } from '../../core/engine/fold-run.ts';
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { eventsOfRun, planOfRun, sinceStart } from '../runs/replay-runs.ts';
import { changes, type Known } from '../views/changes.ts';

/** Null when it has not begun before the signal. `known` is where the ledger ended before the run was asked for. */
export async function awaitRun(
  home: Home,
  run: string,
  known: Known,
  signal: AbortSignal,
): Promise<{ ended: RunState; events: readonly Event[] } | null> {
  let seen: { ended: RunState; events: readonly Event[] } | null = null;
  for await (const _ of changes(home.ledgers, known, { signal, filter: { run } })) {
    const events = sinceStart(await eventsOfRun(home, run));
    const ended = events.length === 0 ? null : foldRun(await planOfRun(home, events), events);
    if (ended === null) continue;
    seen = { ended, events };
    if (isOver(ended.status) || ended.status === 'blocked' || ended.status === 'paused') break;
  }
  return seen;
}
