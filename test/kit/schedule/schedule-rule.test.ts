import { describe, expect, it } from 'vitest';
import { readTask } from '../../../src/kit/inbox/parse-task.ts';
import { parseScheduleRule, scheduleWordsIn } from '../../../src/kit/schedule/schedule-rule.ts';

describe('the line that says how often', () => {
  it.each([
    ['monday 08:00', { kind: 'weeks', every: 1, weekdays: [1], minutes: [480] }],
    ['every Monday at 8am', { kind: 'weeks', every: 1, weekdays: [1], minutes: [480] }],
    ['Mon, Wed and Fri at 7:30 and 17:00', { kind: 'weeks', every: 1, weekdays: [1, 3, 5], minutes: [450, 1020] }],
    ['weekdays at noon', { kind: 'weeks', every: 1, weekdays: [1, 2, 3, 4, 5], minutes: [720] }],
    ['every other week on Thursdays at 5 pm', { kind: 'weeks', every: 2, weekdays: [4], minutes: [1020] }],
    ['every day at midnight', { kind: 'days', every: 1, minutes: [0] }],
    ['12am and 12pm', { kind: 'days', every: 1, minutes: [0, 720] }],
    ['daily at 7', { kind: 'days', every: 1, minutes: [420] }],
    ['every 2 days', { kind: 'days', every: 2, minutes: null }],
    ['every 3 weeks at 9:00', { kind: 'days', every: 21, minutes: [540] }],
    ['every 2 hours', { kind: 'minutes', every: 120 }],
    ['15 min', { kind: 'minutes', every: 15 }],
    ['hourly', { kind: 'minutes', every: 60 }],
    ['0 8 * * 1', { kind: 'cron', expression: '0 8 * * 1' }],
    ['*/10 * * * *', { kind: 'cron', expression: '*/10 * * * *' }],
    ['@daily', { kind: 'cron', expression: '@daily' }],
    ['0 8 LW * FRI', { kind: 'cron', expression: '0 8 LW * FRI' }],
  ])('may be "%s"', (text, rule) => {
    expect(parseScheduleRule(text)).toEqual(rule);
  });

  it.each([
    ['', /how often/],
    ['soon', /"soon" is not understood/],
    ['monday', /at what time/],
    ['every 8', /how often/],
    ['25:00', /"25:00" is not a time of day/],
    ['13pm', /"13pm" is not a time of day/],
    ['every 2 hours at 8:00', /neither days nor times/],
    ['every 0 days', /0 is not/],
    ['every 2 days on monday 8:00', /weekdays and a number of days/],
    ['61 * * * *', /61/],
    ['* * * * * *', /seconds/],
    ['0 0 31 2 *', /impossible day of month/],
    ['0 8 * *', /expected 5 or 6 fields/],
    ['0 8 * * 8', /week day/],
    ['@sometimes', /illegal/],
  ])('is refused with the reason when it is "%s"', (text, why) => {
    expect(() => parseScheduleRule(text)).toThrow(why);
  });
});

describe('the schedule of a task file', () => {
  const read = (fields: string) => readTask(Buffer.from(`---\n${fields}\n---\nDo it.\n`), 'x.md').task;

  it('may be a cron expression that begins with a star, without quotes', () => {
    expect(read('title: x\nevery: */10 * * * * # often\ntags: [a]')).toMatchObject({
      every: '*/10 * * * *',
      tags: ['a'],
    });
    expect(read('every: @weekly').every).toBe('@weekly');
    expect(read("every: '* * * * *'").every).toBe('* * * * *');
  });

  it.each([
    ['every: someday', /line 2: front matter field "every": "someday" is not understood/],
    ['every: monday 8:00\ntimezone: Mars/Olympus', /line 3: front matter field "timezone": "Mars\/Olympus"/],
    ['at: tomorrow', /line 2: front matter field "at": "tomorrow" is not a time/],
    ['at: 2026-02-30T08:00', /"2026-02-30T08:00" is not a time/],
    ['every: daily at 8:00\nwithin: long', /line 3: front matter field "within"/],
    ['every: daily at 8:00\nuntil: 1960-01-01', /line 3: front matter field "until": it would never be due/],
  ])('is refused with its line: %s', (fields, why) => {
    expect(() => read(fields)).toThrow(why);
  });
});

describe('the times that a text names', () => {
  it.each([
    ['Every weekday at 8 append the new titles to news.md.', 'Every weekday at 8'],
    ['write the report to out.md, every monday 08:00, please', 'every monday 08:00'],
    ['count the lines of a.txt every 2 hours and note them', 'every 2 hours'],
    ['Each day at noon, look at the page.', 'Each day at noon'],
    ['fetch it daily at 6:30.', 'daily at 6:30'],
    ['tidy up on mondays and fridays at 17:00', 'mondays and fridays at 17:00'],
    ['every day and every night', 'every day'],
  ])('are found in %j', (text, every) => {
    expect(scheduleWordsIn(text)).toEqual({ every });
  });

  it.each(['append the titles of new.rss to news.md, each once', 'rename every file', 'write at 8 lines', ''])(
    'are none in %j',
    (text) => {
      expect(scheduleWordsIn(text)).toBeNull();
    },
  );

  it.each([
    ['send the list every monday', 'it does not say at what time'],
    ['look every morning', '"morning" is not understood here'],
  ])('that cannot be read are said: %j', (text, why) => {
    expect(scheduleWordsIn(text)).toEqual({ problem: expect.stringContaining(why) });
  });
});
