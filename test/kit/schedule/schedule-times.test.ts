import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScheduleRule } from '../../../src/kit/schedule/schedule-rule.ts';
import { nextTimes, scheduleTimes, type TimesOptions } from '../../../src/kit/schedule/schedule-times.ts';
import { timeZone } from '../../../src/kit/schedule/time-zone.ts';
import { isThorough } from '../../support/thorough.ts';

const at = (text: string): number => Date.parse(text.length === 16 ? `${text}:00Z` : text);
const shown = (moment: number): string => new Date(moment).toISOString().slice(0, 16);

function next(every: string, zone: string, after: string, count = 3, options: Partial<TimesOptions> = {}): string[] {
  const times = scheduleTimes(parseScheduleRule(every), { zone, anchor: at(after), ...options });
  return nextTimes(times, at(after), count).map(shown);
}

describe('a time of day that the clock skips is due once, at the first moment after the gap:', () => {
  it.each([
    ['America/New_York', '30 2 * * *', '2026-03-08T05:00', '2026-03-08T07:00', '2026-03-09T06:30'],
    ['America/New_York', '15,45 2 * * *', '2026-03-08T05:00', '2026-03-08T07:00', '2026-03-09T06:15'],
    ['America/New_York', 'sunday 2:15', '2026-03-08T05:00', '2026-03-08T07:00', '2026-03-15T06:15'],
    ['Europe/Berlin', '0 2 * * *', '2026-03-28T23:30', '2026-03-29T01:00', '2026-03-30T00:00'],
    ['Europe/Berlin', '*/30 2 * * *', '2026-03-28T23:30', '2026-03-29T01:00', '2026-03-30T00:00'],
    ['Africa/Cairo', '30 0 * * *', '2026-04-23T20:00', '2026-04-23T22:00', '2026-04-24T21:30'],
    ['Africa/Cairo', '0 0 24 4 *', '2026-04-23T20:00', '2026-04-23T22:00', '2027-04-23T22:00'],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T13:00', '2026-10-03T15:30', '2026-10-04T15:15'],
  ])('%s, %s', (zone, every, after, first, second) => {
    expect(next(every, zone, after, 2)).toEqual([first, second]);
  });
});

describe('a time of day that the clock shows twice is due once, the first time:', () => {
  it.each([
    ['America/New_York', '30 1 * * *', '2026-11-01T04:00', '2026-11-01T05:30', '2026-11-02T06:30'],
    ['America/New_York', '*/30 1 * * *', '2026-11-01T05:10', '2026-11-01T05:30', '2026-11-02T06:00'],
    ['Europe/Berlin', 'every day at 2:30', '2026-10-24T23:00', '2026-10-25T00:30', '2026-10-26T01:30'],
    ['Africa/Cairo', '30 23 * * *', '2026-10-29T18:00', '2026-10-29T20:30', '2026-10-30T21:30'],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T13:00', '2026-04-04T14:45', '2026-04-05T15:15'],
  ])('%s, %s', (zone, every, after, first, second) => {
    expect(next(every, zone, after, 2)).toEqual([first, second]);
  });
});

describe('steps of the hour follow the clock as it goes:', () => {
  it.each([
    ['America/New_York', '0 * * * *', '2026-03-08T05:30', ['2026-03-08T06:00', '2026-03-08T07:00', '2026-03-08T08:00']],
    ['America/New_York', '0 * * * *', '2026-11-01T04:30', ['2026-11-01T05:00', '2026-11-01T06:00', '2026-11-01T07:00']],
    ['Europe/Berlin', '0 */2 * * *', '2026-03-28T22:30', ['2026-03-28T23:00', '2026-03-29T02:00', '2026-03-29T04:00']],
    [
      'Australia/Lord_Howe',
      '0 * * * *',
      '2026-10-03T14:00',
      ['2026-10-03T14:30', '2026-10-03T16:00', '2026-10-03T17:00'],
    ],
    ['Africa/Cairo', '*/30 * * * *', '2026-10-29T20:40', ['2026-10-29T21:00', '2026-10-29T21:30', '2026-10-29T22:00']],
  ])('%s, %s from %s', (zone, every, after, expected) => {
    expect(next(every, zone, after)).toEqual(expected);
  });
});

describe('an interval', () => {
  it('of hours counts the hours that pass, whatever the clock on the wall shows', () => {
    expect(next('every 2 hours', 'Europe/Berlin', '2026-03-28T22:17')).toEqual([
      '2026-03-29T00:17',
      '2026-03-29T02:17',
      '2026-03-29T04:17',
    ]);
  });

  it('of days stays at its time of day, and a time that is missed moves none of the later ones', () => {
    const anchor = at('2026-03-26T07:00'); // 08:00 in Berlin
    expect(next('every 2 days', 'Europe/Berlin', '2026-03-26T07:00', 3)).toEqual([
      '2026-03-28T07:00',
      '2026-03-30T06:00',
      '2026-04-01T06:00',
    ]);
    expect(next('every 2 days', 'Europe/Berlin', '2026-03-31T23:00', 1, { anchor })).toEqual(['2026-04-01T06:00']);
  });

  it('of weeks names days within every such week', () => {
    expect(next('every 2 weeks on friday at noon', 'UTC', '2026-11-11T00:00')).toEqual([
      '2026-11-13T12:00',
      '2026-11-27T12:00',
      '2026-12-11T12:00',
    ]);
  });
});

describe('the times of a schedule', () => {
  it('end with `until` and begin with `from`, both inclusive', () => {
    const limits = { from: at('2026-11-17T08:00'), until: at('2026-11-18T08:00') };
    expect(next('daily at 8:00', 'UTC', '2026-11-10T00:00', 5, limits)).toEqual([
      '2026-11-17T08:00',
      '2026-11-18T08:00',
    ]);
  });

  it('are the anchor alone when there is no rule', () => {
    const once = scheduleTimes(null, { zone: 'UTC', anchor: at('2026-12-01T08:00') });
    expect(nextTimes(once, at('2026-11-01T00:00'), 5).map(shown)).toEqual(['2026-12-01T08:00']);
    expect(nextTimes(once, at('2026-12-01T08:00'), 5)).toEqual([]);
  });

  it('survive a day that a country skipped', () => {
    expect(next('daily at 8:00', 'Pacific/Apia', '2011-12-29T00:00', 3)).toEqual([
      '2011-12-29T18:00',
      '2011-12-30T10:00',
      '2011-12-30T18:00',
    ]);
  });

  it('equal those that a slow walk over every minute finds, in any zone and over any change of its clocks', () => {
    const changes = [
      ['America/New_York', '2026-03-08T07:00'],
      ['America/New_York', '2026-11-01T06:00'],
      ['Europe/Berlin', '2026-03-29T01:00'],
      ['Europe/Berlin', '2026-10-25T01:00'],
      ['Africa/Cairo', '2026-04-23T22:00'],
      ['Africa/Cairo', '2026-10-29T21:00'],
      ['Australia/Lord_Howe', '2026-04-04T15:00'],
      ['Australia/Lord_Howe', '2026-10-03T15:30'],
      ['Asia/Kathmandu', '2026-06-01T00:00'],
    ] as const;
    const minute = fc.oneof(
      fc.constant('*'),
      fc.constant('*/7'),
      fc.integer({ min: 0, max: 59 }).map(String),
      fc.constant('0,30'),
    );
    const hour = fc.oneof(
      fc.constant('*'),
      fc.constant('*/2'),
      fc.constant('0-3'),
      fc.integer({ min: 0, max: 3 }).map(String),
      fc.constant('23'),
    );
    const days = fc.constantFrom('* * *', '* * 0', '* * 1,4,5', '29 * *', '* 4,10 *', 'L * *');
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        minute,
        hour,
        days,
        fc.integer({ min: -1000, max: 0 }),
        (change, m, h, d, before) => {
          const [zone, moment] = change;
          const [from, to] = [at(moment) + before * 60_000, at(moment) + 1000 * 60_000];
          const expression = `${m} ${h} ${d}`;
          const found = scheduleTimes(parseScheduleRule(expression), { zone, anchor: 0 }).between(from, to);
          expect([expression, zone, [...found].map(shown)]).toEqual([
            expression,
            zone,
            slowTimes(expression, zone, from, to),
          ]);
        },
      ),
      { numRuns: isThorough ? 1000 : 40 },
    );
  });
});

/** Walks over every minute, with Intl and the fields of the expression alone. */
function slowTimes(expression: string, zone: string, after: number, to: number): string[] {
  const wallAt = (moment: number): number => slowWallTime(zone, moment);
  const isWild = expression.split(' ')[1]?.startsWith('*') === true;
  const seen = new Set<number>();
  const found: string[] = [];
  const start = Math.floor(after / 60_000) * 60_000 - 6 * 3_600_000;
  for (let moment = start, last = wallAt(start) - 60_000; moment <= to; moment += 60_000) {
    const wall = wallAt(moment);
    const skipped: number[] = [];
    for (let each = last + 60_000; each < wall; each += 60_000) skipped.push(each);
    const isDue = isWild
      ? fits(expression, wall)
      : (fits(expression, wall) && !seen.has(wall)) || skipped.some((each) => fits(expression, each));
    seen.add(wall);
    last = wall;
    if (isDue && moment > after) found.push(shown(moment));
  }
  return found;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const walls = new Map<string, number>();

function slowWallTime(zone: string, moment: number): number {
  const key = `${zone} ${moment}`;
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  const wall = walls.get(key) ?? at(format.format(moment).replace(' ', 'T'));
  walls.set(key, wall);
  return wall;
}

function fits(expression: string, wall: number): boolean {
  const date = new Date(wall);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const values = [
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth() + 1,
    date.getUTCDay(),
  ];
  return expression.split(' ').every((field, index) => {
    const value = values[index] ?? -1;
    if (field === '*') return true;
    if (field === 'L') return value === lastDay;
    if (field.startsWith('*/')) return value % Number(field.slice(2)) === 0;
    const [low = 0, high] = field.split('-').map(Number);
    return high === undefined ? field.split(',').map(Number).includes(value) : value >= low && value <= high;
  });
}

describe('a time zone', () => {
  it('tells which moments have a wall time: two where it comes twice, none where it is skipped', () => {
    const berlin = timeZone('Europe/Berlin');
    expect(berlin.momentsOf(at('2026-10-25T02:30')).map(shown)).toEqual(['2026-10-25T00:30', '2026-10-25T01:30']);
    expect(berlin.momentsOf(at('2026-03-29T02:30'))).toEqual([]);
    expect(shown(berlin.wallTimeAt(at('2026-07-01T10:00')))).toBe('2026-07-01T12:00');
  });
});
