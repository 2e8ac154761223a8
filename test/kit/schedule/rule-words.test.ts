import { describe, expect, it } from 'vitest';
import { ruleInWords } from '../../../src/kit/schedule/rule-words.ts';

describe('how often something is due, in words', () => {
  it.each([
    ['day 08:00', 'every day at 8:00'],
    ['weekdays at 7:30 and 17:00', 'every weekday at 7:30 and 17:00'],
    ['monday, friday 9:00', 'every Monday and Friday at 9:00'],
    ['every 2 weeks on friday at noon', 'every 2 weeks on Friday at 12:00'],
    ['weekend 10:00', 'every Saturday and Sunday at 10:00'],
    ['every 2 days', 'every 2 days'],
    ['hourly', 'every hour'],
    ['every 90 minutes', 'every 90 minutes'],
    ['0 8 1 * *', 'by the cron line 0 8 1 * *'],
  ])('%s is %s', (written, said) => expect(ruleInWords(written)).toBe(said));

  it('what has no rule is due once', () => expect(ruleInWords(null)).toBe('once'));
});
