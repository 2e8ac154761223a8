import { describe, expect, it } from 'vitest';
import { understandSentence } from '../../../src/app/web/tasks/understand-sentence.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const understand = (text: string): string => {
  const found = understandSentence(text, 'UTC', now);
  return found.kind === 'task' ? `task: ${found.text}` : `${found.every}: ${found.text} (${found.next[0]})`;
};

describe('a sentence in the box', () => {
  it('is a task', () => {
    expect(understand('Summarize the invoices of October')).toBe('task: Summarize the invoices of October');
  });

  it.each([
    [
      'Every Monday 8:00 send me the open invoices',
      'Every Monday 8:00: Send me the open invoices (2026-11-23T08:00:00.000Z)',
    ],
    [
      'Send me the open invoices every Monday at 8:00',
      'every Monday at 8:00: Send me the open invoices (2026-11-23T08:00:00.000Z)',
    ],
    ['Look for new mail, every 2 hours.', 'every 2 hours: Look for new mail (2026-11-18T14:00:00.000Z)'],
    ['Back up the desk daily at 23:30', 'daily at 23:30: Back up the desk (2026-11-18T23:30:00.000Z)'],
    ['On weekdays at 7:30 read the news', 'On weekdays at 7:30: Read the news (2026-11-19T07:30:00.000Z)'],
    [
      'Every Friday at 17:00 the report of the week',
      'Every Friday at 17:00: The report of the week (2026-11-20T17:00:00.000Z)',
    ],
  ])('comes again when it says when: %s', (text, meant) => {
    expect(understand(text)).toBe(meant);
  });

  it.each([
    'Rename every second photo',
    'Count every file in reports',
    'Write the daily report of Monday',
    'Summarize the weekly newsletter',
    'Is every invoice paid?',
    'Every Monday 8:00',
    '# Every Monday 8:00 a heading',
    'Do this\nevery Monday 8:00',
  ])('is no schedule because of a word: %s', (text) => {
    expect(understand(text)).toBe(`task: ${text}`);
  });
});
