/**
 * Owns: which slots of a job have come, and what happens to each. A slot is one due time of one job; any job with a name
 * and a schedule has slots, whoever runs it. Pure.
 *
 * T1 Each slot is recorded once: those that have come are all after the last recorded one, up to now.
 * T2 A clock that is set back repeats no slot; one that is set forward makes each slot in between come once.
 * T3 Slots begin with the first process: nothing was missed before there was one.
 */
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { Times } from './utc-cron-times.ts';

export type SlotCame = Extract<NewEvent, { type: 'slot.came' }>['data'];

/** What is known when the clock is checked; moments in milliseconds. */
export type SlotClock = {
  now: number;
  /** When this process started. */
  started: number;
  /** The last slot of this job that was recorded. */
  last: number | null;
  /** When this process was busy with the job before, from start to end. */
  busy: { from: number; to: number } | null;
  isStopped: boolean;
};

/** A slot that is met this late still counts as met. */
export const LATE_MS = 60_000;

/** More are not recorded one by one: a clock that was wrong by decades must not fill the disk. */
export const MOST_RECORDED = 100_000;

export const STOPPED = '.oka/STOP was there';

export function dueSlots(job: string, times: Times, clock: SlotClock): SlotCame[] {
  const came: number[] = [];
  let left = 0;
  for (const slot of times.between(clock.last ?? clock.started, clock.now)) {
    came.push(slot);
    if (came.length >= 2 * MOST_RECORDED) left += came.splice(0, MOST_RECORDED).length;
  }
  left += came.splice(0, Math.max(0, came.length - MOST_RECORDED)).length;
  const slots = came.map((slot): SlotCame => ({ job, slot: new Date(slot).toISOString(), ...outcomeAt(slot, clock) }));
  const [first] = slots;
  if (first !== undefined && left > 0) first.reason += `; so were ${left} before it, which are not recorded one by one`;
  return slots;
}

function outcomeAt(slot: number, { now, started, busy, isStopped }: SlotClock): Pick<SlotCame, 'how' | 'reason'> {
  if (busy !== null && slot > busy.from && slot <= busy.to)
    return { how: 'skipped', reason: 'the pass before it was still running' };
  if (now - slot <= LATE_MS)
    return isStopped ? { how: 'skipped', reason: STOPPED } : { how: 'ran', reason: 'it was due' };
  if (slot <= started) return { how: 'missed', reason: 'no process was there' };
  return { how: 'missed', reason: 'the process could not check: the machine slept, or its clock was set forward' };
}

/** Whether a slot has come that was recorded before the clock was set back: not recorded again, but there may be work. */
export function hasComeAgain(times: Times, checked: number, now: number, last: number | null): boolean {
  if (last === null) return false;
  return times.between(Math.min(checked, now), Math.min(now, last)).next().done !== true;
}

const keyOf = (job: string): string => `slot/${job}`;

/** The last slot of a job that was recorded. */
export const lastSlotOf = (rows: Rows, job: string): number | null => rows.get<number>(keyOf(job)) ?? null;

/** Folds `slot.came` for `lastSlotOf`. */
export function takeSlot(event: Event, rows: Rows): void {
  if (event.type !== 'slot.came') return;
  const slot = Date.parse(event.data.slot);
  if (slot > (lastSlotOf(rows, event.data.job) ?? Number.NEGATIVE_INFINITY)) rows.put(keyOf(event.data.job), slot);
}
