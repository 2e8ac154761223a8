import { expect, it } from 'vitest';
import { daysFrom, momentInWords } from '../../../src/kit/web/browser/components/day-words.ts';

const at = (day: number, hour: number): Date => new Date(2026, 10, day, hour, 30);

it('a moment is said by its day: today, tomorrow, a weekday, or a date', () => {
  const now = at(18, 23);
  const say = (moment: Date): string => momentInWords(moment.toISOString(), now);
  expect(say(at(18, 7))).toMatch(/^today at 7:30/);
  expect(say(at(19, 0))).toMatch(/^tomorrow at 12:30/);
  expect(say(at(17, 22))).toMatch(/^yesterday at /);
  expect(say(at(20, 7))).toMatch(/^on Friday at /);
  expect(say(at(25, 7))).toMatch(/^on Wednesday, November 25 at /);
  expect(say(at(10, 7))).toMatch(/^on Tuesday, November 10 at /);
});

it('days are those of the calendar, not of 24 hours', () => {
  expect(daysFrom(at(18, 23), at(19, 0))).toBe(1);
  expect(daysFrom(at(18, 0), at(18, 23))).toBe(0);
  expect(daysFrom(at(1, 0), new Date(2026, 9, 31, 23))).toBe(-1);
});
