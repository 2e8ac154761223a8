/** Owns: the days that a call of a calendar tool is about, and how their moments are shown. Pure. */
import { z } from 'zod';
import { failure } from '../../../kit/define-tool.ts';
import { isTimeZone, machineTimeZone, timeZone } from '../../../kit/schedule/time-zone.ts';
import type { Span } from './expand-events.ts';

const MOST_DAYS = 400;
const DAY_MS = 86_400_000;

export const daysInput = {
  account: z.string().max(40).optional().describe('One account; all when left out.'),
  calendars: z
    .array(z.string().min(1).max(500))
    .max(50)
    .default([])
    .describe('Names of calendars; all that may be read when left out.'),
  from: z.iso.date().describe('The first day: 2026-05-01.'),
  to: z.iso.date().optional().describe('The last day; the first one when left out.'),
  zone: z.string().max(100).optional().describe("A time zone such as Europe/Berlin; the person's when left out."),
};

type Days = { from: string; to?: string | undefined; zone?: string | undefined };

/** From the beginning of the first day until the end of the last. */
export function spanOf({ from, to = from, zone = machineTimeZone() }: Days): Span {
  if (!isTimeZone(zone)) throw failure(`"${zone}" is no time zone`, 'Write one such as Europe/Berlin.');
  const days = daysBetween(from, to);
  if (days.length === 0)
    throw failure(`${to} is before ${from}`, 'Give the first day as from, and the last one as to.');
  if (days.length > MOST_DAYS) throw failure(`these are more than ${MOST_DAYS} days`, 'Ask for fewer days.');
  return { from: momentIn(from, 0, zone), to: momentIn(to, 24 * 60, zone), zone };
}

/** One more than the most at most. */
export function daysBetween(from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const days: string[] = [];
  for (let day = first; day <= last && days.length <= MOST_DAYS; day += DAY_MS)
    days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}

/** When the clock shows so many minutes on a day. */
export const momentIn = (day: string, minutes: number, zone: string): number =>
  timeZone(zone).firstMomentOf(Date.parse(day) + minutes * 60_000);
