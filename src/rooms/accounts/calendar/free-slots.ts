/** Owns: when somebody is free: times of work without what blocks them. Pure. */
import { daysBetween, momentIn } from './event-days.ts';
import type { Occurrence } from './expand-events.ts';

type Stretch = { start: number; end: number };

export type Wanted = {
  /** The first and the last day. */
  from: string;
  to: string;
  zone: string;
  /** Minutes of a day, and its weekdays: 0 is Sunday. */
  hours: { from: number; to: number };
  weekdays: readonly number[];
  minutes: number;
  /** Minutes that stay free before and after every event. */
  buffer: number;
  /** Nothing begins before. */
  after: number;
};

const MINUTE_MS = 60_000;
/** Nobody meets at 10:07. */
const STEP_MS = 5 * MINUTE_MS;

/** Whether the event takes the time of whoever keeps the calendar. */
export const isBlocking = ({ isCancelled, isTransparent, answer, start, end }: Occurrence): boolean =>
  !isCancelled && !isTransparent && answer !== 'declined' && end > start;

/** Stretches that are free and long enough, the earliest first. */
export function freeStretches(events: readonly Occurrence[], wanted: Wanted): Stretch[] {
  const { buffer, hours, weekdays, zone, minutes, after } = wanted;
  const busy = events
    .filter(isBlocking)
    .map(({ start, end }) => ({ start: start - buffer * MINUTE_MS, end: end + buffer * MINUTE_MS }))
    .toSorted((a, b) => a.start - b.start);
  return daysBetween(wanted.from, wanted.to)
    .filter((day) => weekdays.includes(new Date(day).getUTCDay()))
    .flatMap((day) => {
      const start = Math.max(momentIn(day, hours.from, zone), after);
      return without(busy, { start, end: momentIn(day, hours.to, zone) });
    })
    .map(({ start, end }) => ({ start: Math.ceil(start / STEP_MS) * STEP_MS, end }))
    .filter(({ start, end }) => end - start >= minutes * MINUTE_MS);
}

/** What is left of a stretch without those that are busy, which are in order. */
function without(busy: readonly Stretch[], { start, end }: Stretch): Stretch[] {
  const left: Stretch[] = [];
  let from = start;
  for (const each of busy) {
    if (each.start >= end) break;
    if (each.start > from) left.push({ start: from, end: each.start });
    from = Math.max(from, each.end);
  }
  if (from < end) left.push({ start: from, end });
  return left;
}
