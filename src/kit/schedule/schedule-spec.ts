/** Owns: reading the fields of a schedule as people write them. */
import type { ScheduleFields, ScheduleSpec } from '../../core/schema/schedule.ts';
import { MINUTE_MS } from './cron-expression.ts';
import type { Times } from './utc-cron-times.ts';
import { parseScheduleRule } from './schedule-rule.ts';
import { nextTimes, scheduleTimes } from './schedule-times.ts';
import { isTimeZone, machineTimeZone, timeZone } from './time-zone.ts';

/** A field that cannot be read, and why. */
export class ScheduleFieldError extends Error {
  override readonly name = 'ScheduleFieldError';
  readonly field: keyof ScheduleFields;

  constructor(field: keyof ScheduleFields, reason: string) {
    super(reason);
    this.field = field;
  }
}

const WEEK_S = 7 * 86_400;

export const isScheduled = ({ every, at }: ScheduleFields): boolean => every !== undefined || at !== undefined;

/** `before` is the schedule as it was: an edit does not move the anchor of its intervals. */
export function readSchedule(fields: ScheduleFields, now: number, before: ScheduleSpec | null = null): ScheduleSpec {
  const timezone = fields.timezone ?? machineTimeZone();
  if (!isTimeZone(timezone))
    throw new ScheduleFieldError('timezone', `"${timezone}" is not a time zone; write one such as "Europe/Berlin"`);
  const first = fields.at === undefined ? null : readMoment('at', fields.at, timezone, false);
  const until = fields.until === undefined ? null : readMoment('until', fields.until, timezone, true);
  const anchor = first ?? (before === null ? Math.floor(now / MINUTE_MS) * MINUTE_MS : Date.parse(before.anchor));
  const spec: ScheduleSpec = {
    every: fields.every?.trim() ?? null,
    anchor: toInstant(anchor),
    from: first === null ? null : toInstant(first),
    until: until === null ? null : toInstant(until),
    timezone,
    catch_up: readCatchUp(fields.catch_up),
    within: readSeconds('within', fields.within) ?? WEEK_S,
    overlap: fields.overlap ?? 'skip',
    jitter: readSeconds('jitter', fields.jitter) ?? 0,
    pause_after_failures: fields.pause_after_failures ?? null,
  };
  assertDue(spec);
  return spec;
}

export function timesOfSpec({ every, anchor, from, until, timezone }: ScheduleSpec): Times {
  return scheduleTimes(every === null ? null : parseScheduleRule(every), {
    zone: timezone,
    anchor: Date.parse(anchor),
    from: from === null ? null : Date.parse(from),
    until: until === null ? null : Date.parse(until),
  });
}

/** The next times after a moment, as people read them there: local time and the offset from UTC. */
export const listNextTimes = (spec: ScheduleSpec, after: number, count = 5): string[] =>
  nextTimes(timesOfSpec(spec), after, count).map((moment) => formatLocal(moment, spec.timezone));

/** "Mon 2026-12-07 08:00 +01:00" */
export function formatLocal(moment: number, zone: string): string {
  const wall = timeZone(zone).wallTimeAt(moment);
  const offset = Math.round((wall - moment) / MINUTE_MS);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const shown = new Date(wall).toISOString();
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(wall).getUTCDay()];
  return `${day} ${shown.slice(0, 10)} ${shown.slice(11, 16)} ${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`;
}

const pad = (value: number): string => String(value).padStart(2, '0');
const toInstant = (moment: number): string => new Date(moment).toISOString();

function assertDue(spec: ScheduleSpec): void {
  let times: Times;
  try {
    times = timesOfSpec(spec);
  } catch (error) {
    throw new ScheduleFieldError('every', error instanceof Error ? error.message : String(error));
  }
  if (nextTimes(times, Date.parse(spec.anchor) - 1, 1).length === 0)
    throw new ScheduleFieldError(spec.until === null ? 'every' : 'until', 'it would never be due');
}

const readCatchUp = (given: ScheduleFields['catch_up']): ScheduleSpec['catch_up'] =>
  typeof given === 'boolean' ? (given ? 'last' : 'none') : (given ?? 'last');

const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** A date without a time is its first moment, or its last one. */
export function readMoment(field: keyof ScheduleFields, text: string, zone: string, isEnd: boolean): number {
  const given = text.trim();
  const [, date, time, second] = LOCAL.exec(given) ?? [];
  const wall = Date.parse(`${date}T${(time ?? (isEnd ? '23:59' : '00:00')).padStart(5, '0')}:${second ?? '00'}Z`);
  const isReal = date !== undefined && !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(date);
  if (isReal) return timeZone(zone).firstMomentOf(wall);
  const moment = WITH_OFFSET.test(given) ? Date.parse(given.replace(' ', 'T')) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new ScheduleFieldError(field, `"${given}" is not a time; write it as 2026-12-01T08:00`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const DURATION = /^(\d{1,6})\s*(s|m|h|d|w|sec|min|seconds?|minutes?|hours?|days?|weeks?)$/i;

function readSeconds(field: keyof ScheduleFields, text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, count, unit = ''] = DURATION.exec(text.trim()) ?? [];
  if (count === undefined)
    throw new ScheduleFieldError(field, `"${text}" is not a length of time; write it as "10 minutes" or "7 days"`);
  return Number(count) * (UNITS[unit[0]?.toLowerCase() ?? ''] ?? 0);
}
