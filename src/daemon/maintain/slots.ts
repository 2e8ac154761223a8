/**
 * Owns: which times have come and what becomes of each. Pure.
 *
 * T1 Each time is told once: those that are told are all that lie behind the last one that was told, up to now.
 * T2 A clock that is set back brings no time again; one that is set forward brings each time between once.
 * T3 Times begin with the first process: nothing was missed before there was one.
 */
import type { NewEvent } from '../../schema/event.ts';
import type { Part } from '../../memory/learning.ts';
import type { Rows } from '../../schema/rows.ts';
import type { Times } from '../../intake/schedule.ts';

export type SlotCame = Extract<NewEvent, { type: 'slot.came' }>['data'];
export type Job = SlotCame['job'];
export const jobs = ['learn', 'tidy'] as const satisfies readonly Job[];

/** What a look at the clock sees; moments in milliseconds. */
export type Sight = {
  now: number;
  /** When this process began. */
  begun: number;
  /** The last time of this job that was told. */
  told: number | null;
  /** When the last pass of this process began and ended. */
  busy: { from: number; to: number } | null;
  isStopped: boolean;
};

/** So late a time still counts as met. */
export const LATE_MS = 60_000;

/** More are not told one by one: a clock that was wrong by decades must not fill the disk. */
export const MOST_TOLD = 100_000;

export const STOPPED = '.oka/STOP was there';

export function cameDue(job: Job, times: Times, sight: Sight): SlotCame[] {
  const { told, begun, now } = sight;
  const came: number[] = [];
  let left = 0;
  for (const slot of times.between(told ?? begun, now)) {
    came.push(slot);
    if (came.length >= 2 * MOST_TOLD) left += came.splice(0, MOST_TOLD).length;
  }
  left += came.splice(0, Math.max(0, came.length - MOST_TOLD)).length;
  const slots = came.map((slot): SlotCame => ({ job, slot: new Date(slot).toISOString(), ...metAs(slot, sight) }));
  const [first] = slots;
  if (first !== undefined && left > 0) first.reason += `; so were ${left} before it, which are not told one by one`;
  return slots;
}

function metAs(slot: number, { now, begun, busy, isStopped }: Sight): Pick<SlotCame, 'how' | 'reason'> {
  if (busy !== null && slot > busy.from && slot <= busy.to)
    return { how: 'skipped', reason: 'the pass before it was still running' };
  if (now - slot <= LATE_MS)
    return isStopped ? { how: 'skipped', reason: STOPPED } : { how: 'ran', reason: 'it was due' };
  if (slot <= begun) return { how: 'missed', reason: 'no process was there' };
  return { how: 'missed', reason: 'the process could not look: the machine slept, or its clock was set forward' };
}

/** Whether a time has come that was told before the clock was set back: it is not told again, but there may be news. */
export function cameAgain(times: Times, looked: number, now: number, told: number | null): boolean {
  if (told === null) return false;
  return times.between(Math.min(looked, now), Math.min(now, told)).next().done !== true;
}

const keyOf = (job: Job): string => `slot/${job}`;

/** The last time of a job that was told. */
export const toldOf = (book: Rows, job: Job): number | null => book.get<number>(keyOf(job)) ?? null;

export const slotsTold: Part = {
  name: 'slots',
  take: ({ event }, book) => {
    if (event.type !== 'slot.came') return;
    const slot = Date.parse(event.data.slot);
    if (slot > (toldOf(book, event.data.job) ?? Number.NEGATIVE_INFINITY)) book.put(keyOf(event.data.job), slot);
  },
};
