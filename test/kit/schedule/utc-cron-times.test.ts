import { describe, expect, it } from 'vitest';
import { timesOf } from '../../../src/kit/schedule/utc-cron-times.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';

const at = (text: string): number => Date.parse(text);
const between = (expression: string, after: string, to: string): string[] =>
  Array.from(timesOf(expression, 'x').between(at(after), at(to)), (time) => new Date(time).toISOString().slice(0, 16));

describe('times of a cron expression', () => {
  it('are those after the one moment and not after the other', () => {
    expect(between('*/10 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:30:00Z')).toEqual([
      '2026-01-01T00:10',
      '2026-01-01T00:20',
      '2026-01-01T00:30',
    ]);
    expect(between('30 3 * * *', '2026-01-01T03:29:59Z', '2026-01-02T03:29:59Z')).toEqual(['2026-01-01T03:30']);
  });

  it('know months, weekdays and the last day, and leap years', () => {
    expect(between('0 12 29 2 *', '2026-01-01T00:00:00Z', '2033-01-01T00:00:00Z')).toEqual([
      '2028-02-29T12:00',
      '2032-02-29T12:00',
    ]);
    expect(between('0 0 L * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00:00Z')).toEqual([
      '2026-02-28T00:00',
      '2026-03-31T00:00',
    ]);
    expect(between('5 4 * * 1', '2026-11-09T04:05:00Z', '2026-11-16T04:05:00Z')).toEqual(['2026-11-16T04:05']);
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])(
    'are in UTC, also over the days on which %s changes its clocks',
    (zone) => {
      const before = process.env['TZ'];
      process.env['TZ'] = zone;
      try {
        for (const day of ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01']) {
          const found = between('0 * * * *', `${day}T00:00:00Z`, `${day}T23:59:00Z`);
          expect(found).toEqual(
            Array.from({ length: 23 }, (_, hour) => `${day}T${String(hour + 1).padStart(2, '0')}:00`),
          );
        }
      } finally {
        if (before === undefined) delete process.env['TZ'];
        else process.env['TZ'] = before;
      }
    },
  );

  it.each(['', 'soon', '61 * * * *', '* * * * * *', '0 0 31 2 *', '* * * *'])(
    'refuses "%s" and names the setting',
    (bad) => {
      expect(() => timesOf(bad, 'maintenance.slots.learn')).toThrow(OkaError);
      expect(() => timesOf(bad, 'maintenance.slots.learn')).toThrow(/maintenance\.slots\.learn: "/);
    },
  );
});
