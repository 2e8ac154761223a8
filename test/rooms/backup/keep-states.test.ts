import { expect, it } from 'vitest';
import { statesToKeep } from '../../../src/rooms/backup/keep-states.ts';

const HOUR = 3_600_000;
const now = new Date('2026-11-18T12:00:00Z');
const ago = (hours: number): Date => new Date(now.getTime() - hours * HOUR);
const keep = { days: 3, weeks: 2, months: 2 };
const shown = (times: readonly Date[]): string[] => times.map((at) => at.toISOString().slice(0, 13));

it('what was made within a day stays, then the last of each day, week and month', () => {
  const hourly = Array.from({ length: 24 * 80 }, (_, index) => ago(index));
  const kept = statesToKeep(hourly, keep, now);
  expect(kept.slice(0, 24)).toEqual(hourly.slice(0, 24));
  // The last of 17 and 16 November, of the week before (Sunday 15), and of the month before.
  expect(shown(kept.slice(24))).toEqual(['2026-11-16T23', '2026-11-15T23', '2026-10-31T23']);
});

it('the latest stays, however old it is and whatever the settings say', () => {
  expect(statesToKeep([ago(90_000), ago(80_000)], { days: 0, weeks: 0, months: 0 }, now)).toEqual([ago(80_000)]);
});

it('a backup from the future stays', () => {
  expect(statesToKeep([ago(-5000), ago(-10)], { days: 0, weeks: 0, months: 0 }, now)).toHaveLength(2);
});

it('what is kept today is a part of what would be kept if fewer were there', () => {
  const some = [1, 30, 50, 60, 200, 210, 400, 900, 1500].map(ago);
  const kept = statesToKeep(some, keep, now);
  expect(statesToKeep(kept, keep, now)).toEqual(kept);
});
