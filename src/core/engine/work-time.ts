/**
 * Owns: how long a run was at work. The times of events come from the system clock, which people set and which goes on
 * while the machine sleeps, no worker runs or the desk is another's; `run.time_skipped` records what of it was no time of the run.
 *
 * 1. Time is skipped before the next event of the run is staged, so that every fold of its events gets the same result.
 * 2. What is below the tolerance counts as work: it is a clock that is slewed, or a quick restart.
 */
import type { NewEvent } from '../schema/event.ts';
import type { Clock } from '../schema/ports.ts';
import type { RunState } from './run-state.ts';

const TOLERANCE_MS = 1000;

type WorkClocks = { clock: Clock; monotonic: Clock };

/** What the system clock shows beyond the monotonic one. It changes when the clock is set, and after a sleep. */
export const clockOffset = ({ clock, monotonic }: WorkClocks): number => clock() - monotonic();

/** The event that records how far the clock has jumped since `offset`; null when it has not. */
export function clockJump(run: RunState, offset: number, clocks: WorkClocks): NewEvent | null {
  return run.activeSince === null ? null : skippedEvent(run, clockOffset(clocks) - offset, 'clock');
}

/** The event that records the time since the last event of a run that nobody has driven since; null when it is short. */
export function downtime(run: RunState, now: number): NewEvent | null {
  return run.activeSince === null ? null : skippedEvent(run, now - Date.parse(run.at), 'down');
}

/** The event that records that all its calls waited for their turn on the desk for so long; null when it was short. */
export const turnAwaited = (run: RunState, ms: number): NewEvent | null => skippedEvent(run, ms, 'desk');

function skippedEvent({ id }: RunState, ms: number, why: 'clock' | 'down' | 'desk'): NewEvent | null {
  if (Math.abs(ms) < TOLERANCE_MS) return null;
  return { type: 'run.time_skipped', run: id, data: { ms: Math.round(ms), why } };
}

/** How long a run has been at work. Ledgers of earlier versions did not record it when the clock was set back. */
export function workedMs({ activeMs, activeSince }: Pick<RunState, 'activeMs' | 'activeSince'>, now: number): number {
  return activeMs + (activeSince === null ? 0 : Math.max(0, now - activeSince));
}
