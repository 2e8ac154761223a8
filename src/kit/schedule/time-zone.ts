/**
 * Owns: local time in a time zone, by the data of Intl. A wall time is what a clock on the wall shows, written as the
 * milliseconds at which a clock in UTC would show the same.
 */
import { MINUTE_MS } from './cron-expression.ts';

export type TimeZone = {
  name: string;
  wallTimeAt: (instant: number) => number;
  /** The moments at which the clock shows this, in order: two when it is set back over it, none when it skips it. */
  momentsOf: (wall: number) => number[];
  /** The first moment at which the clock shows this or has skipped it. */
  firstMomentOf: (wall: number) => number;
};

const HOUR_MS = 60 * MINUTE_MS;
/** No clock is changed twice within this time before and after a moment. */
const AROUND_MS = 36 * HOUR_MS;
/** Offsets change on a quarter of an hour at the earliest, so they are cached by it. */
const QUARTER_MS = 15 * MINUTE_MS;
const MOST_CACHED = 50_000;

const zones = new Map<string, TimeZone>();

/** Throws a RangeError for a name that Intl does not know. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = makeZone(name, cachedOffsets(name));
  zones.set(name, zone);
  return zone;
}

export const isTimeZone = (name: string): boolean => {
  try {
    timeZone(name);
    return true;
  } catch {
    return false; // it throws for a name that it does not know
  }
};

/** The zone of this machine. */
export const machineTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function makeZone(name: string, offsetAt: (instant: number) => number): TimeZone {
  const momentsOf = (wall: number): number[] => {
    const offsets = new Set([offsetAt(wall - AROUND_MS), offsetAt(wall + AROUND_MS)]);
    const moments = [...offsets].map((offset) => wall - offset).filter((moment) => wall - offsetAt(moment) === moment);
    return moments.toSorted((a, b) => a - b);
  };
  return {
    name,
    wallTimeAt: (instant) => instant + offsetAt(instant),
    momentsOf,
    firstMomentOf: (wall) => momentsOf(wall)[0] ?? endOfGap(wall, offsetAt),
  };
}

/** The moment at which the clock was set forward over this wall time. */
function endOfGap(wall: number, offsetAt: (instant: number) => number): number {
  let [before, after] = [wall - AROUND_MS, wall + AROUND_MS];
  const later = offsetAt(after);
  while (after - before > MINUTE_MS) {
    const middle = Math.floor((before + after) / 2 / MINUTE_MS) * MINUTE_MS;
    if (middle <= before || middle >= after) break;
    if (offsetAt(middle) === later) after = middle;
    else before = middle;
  }
  return Math.floor(after / MINUTE_MS) * MINUTE_MS;
}

function cachedOffsets(name: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const cache = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER_MS);
    const known = cache.get(quarter);
    if (known !== undefined) return known;
    const offset = readOffset(format, quarter * QUARTER_MS);
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(quarter, offset);
    return offset;
  };
}

function readOffset(format: Intl.DateTimeFormat, instant: number): number {
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
}
