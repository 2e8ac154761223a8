/**
 * Owns: when a schedule is due, in its time zone. Pure: the clock is the caller's.
 *
 * D1 A time of day that the clock skips is due once, at the first moment after the gap. One that it shows twice is due
 *    once, the first time.
 * D2 `*` and `*\/n` in the field of the hour follow the clock as it goes: nothing is due in an hour that is skipped, and an
 *    hour that comes twice is due twice. Intervals of minutes and hours count the time that passes.
 * D3 Intervals are counted from an anchor. A time that was missed moves none of the later ones.
 */
import { DAY_MS, type DayPlan, MINUTE_MS, parseCron } from './cron-expression.ts';
import type { Times } from './utc-cron-times.ts';
import type { ScheduleRule } from './schedule-rule.ts';
import { type TimeZone, timeZone } from './time-zone.ts';

export type TimesOptions = {
  zone: string;
  /** Where intervals begin to count, as a moment. */
  anchor: number;
  /** Nothing is due before this moment, and nothing after the other. */
  from?: number | null;
  until?: number | null;
};

/** A rule of null is due once, at the anchor. */
export function scheduleTimes(rule: ScheduleRule | null, options: TimesOptions): Times {
  const { from, until } = options;
  const times = ruleTimes(rule, options);
  return {
    between: (after, to) =>
      times.between(Math.max(after, (from ?? Number.NEGATIVE_INFINITY) - 1), Math.min(to, until ?? to)),
  };
}

/** Nothing that comes again comes more rarely than this: 29 February on a certain weekday. */
const LONGEST_MS = 41 * 366 * DAY_MS;

/** The next due times after a moment. */
export function nextTimes(times: Times, after: number, count: number): number[] {
  const next: number[] = [];
  if (count <= 0) return next;
  for (const time of times.between(after, after + LONGEST_MS)) {
    next.push(time);
    if (next.length >= count) break;
  }
  return next;
}

function ruleTimes(rule: ScheduleRule | null, { zone, anchor }: TimesOptions): Times {
  if (rule === null) return { between: (after, to) => within([anchor], after, to) };
  if (rule.kind === 'minutes') return { between: (after, to) => multiples(anchor, rule.every * MINUTE_MS, after, to) };
  const place = timeZone(zone);
  const plan = rule.kind === 'cron' ? parseCron(rule.expression) : dayPlan(rule, place.wallTimeAt(anchor));
  return { between: (after, to) => planTimes(plan, place, after, to) };
}

function* multiples(anchor: number, step: number, after: number, to: number): Generator<number> {
  const first = Math.floor((after - anchor) / step) + 1;
  for (let time = anchor + first * step; time <= to; time += step) yield time;
}

/** Days and weeks of an interval; the anchor is one of its days, or in one of its weeks. */
function dayPlan(rule: Extract<ScheduleRule, { kind: 'days' | 'weeks' }>, anchor: number): DayPlan {
  const first = Math.floor(anchor / DAY_MS);
  const minutes = rule.minutes ?? [Math.floor((anchor - first * DAY_MS) / MINUTE_MS)];
  if (rule.kind === 'days') return { minutes, isEveryHour: false, matches: (day) => (day - first) % rule.every === 0 };
  const firstWeek = weekOf(first);
  const isDue = (day: number): boolean =>
    (weekOf(day) - firstWeek) % rule.every === 0 && rule.weekdays.includes(weekdayOf(day));
  return { minutes, isEveryHour: false, matches: isDue };
}

/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;
const weekOf = (day: number): number => Math.floor((day + 3) / 7);

/** Days overlap where a clock is set back, so what a day gives waits until no later day can give anything earlier. */
function* planTimes(plan: DayPlan, zone: TimeZone, after: number, to: number): Generator<number> {
  const lastDay = Math.floor(zone.wallTimeAt(to) / DAY_MS) + 1;
  let pending: number[] = [];
  let last = after;
  for (let day = Math.floor(zone.wallTimeAt(after) / DAY_MS) - 1; day <= lastDay; day += 1) {
    if (plan.matches(day)) pending = [...pending, ...dayTimes(plan, zone, day * DAY_MS)].toSorted((a, b) => a - b);
    if (pending.length === 0) continue;
    const bound = day === lastDay ? Number.POSITIVE_INFINITY : zone.firstMomentOf(day * DAY_MS);
    for (const time of pending) if (time > last && time <= to && time < bound) yield (last = time);
    pending = pending.filter((time) => time >= bound);
  }
  for (const time of pending) if (time > last && time <= to) yield (last = time);
}

function dayTimes({ minutes, isEveryHour }: DayPlan, zone: TimeZone, begins: number): number[] {
  return minutes.flatMap((minute) => {
    const wall = begins + minute * MINUTE_MS;
    return isEveryHour ? zone.momentsOf(wall) : [zone.firstMomentOf(wall)];
  });
}

function* within(times: readonly number[], after: number, to: number): Generator<number> {
  for (const time of times) if (time > after && time <= to) yield time;
}
