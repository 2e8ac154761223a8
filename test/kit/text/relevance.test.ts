import { describe, expect, it } from 'vitest';
import { createRelevanceTest } from '../../../src/kit/text/relevance.ts';

const TASKS = {
  mail: 'Look through the e-mails in mail/ and write a list of the invoices that are still unpaid to invoices.csv.',
  boat: 'Paint the boat near the harbour.',
  meeting: 'When is the dentist appointment? Read calendar.ics and answer.',
  sales: 'Read sales.csv, sum the revenue of each region and write the totals to report.md as a table.',
};

const test = (task: keyof typeof TASKS, text: string, similarity: number | null = null): boolean =>
  createRelevanceTest(TASKS[task])({ text, similarity });

describe('the relevance of a memory', () => {
  it.each<[keyof typeof TASKS, string]>([
    ['mail', 'Unpaid invoices of Berta are always due after 30 days.'],
    ['mail', 'Invoices go into a file with the columns sender, amount, due.'],
    ['boat', 'The boat is called Luna'],
    ['meeting', 'My dentist is Dr. Weber in the Lindenstrasse.'],
    ['sales', 'The revenue of the region north contains refunds; leave them out.'],
  ])('%s: "%s" is relevant', (task, text) => {
    expect(test(task, text)).toBe(true);
  });

  it.each<[keyof typeof TASKS, string]>([
    ['mail', 'Read the file report.md and write a list of the results to the desk.'],
    ['mail', 'The boat is called Luna'],
    ['boat', 'Sum the revenue of each region and write the totals to report.md.'],
    ['meeting', 'This is a normal task: a markdown file that was dropped into the inbox, in a folder with its data.'],
    ['sales', 'Write a summary of the page to summary.md, in a table with one row for each part.'],
    ['sales', 'My dentist is Dr. Weber in the Lindenstrasse.'],
    ['sales', 'When you are done, tell me what you did and how long it took, please.'],
  ])('%s: "%s" is not, whatever words every task has', (task, text) => {
    expect(test(task, text)).toBe(false);
  });

  it('what means the same without a shared word is relevant, and a shared word without any likeness is not', () => {
    expect(test('meeting', 'Zahnarzt am Freitag um drei', 0.6)).toBe(true);
    expect(test('meeting', 'Zahnarzt am Freitag um drei', 0.2)).toBe(false);
    expect(test('boat', 'The boat is called Luna', 0.05)).toBe(false);
  });
});
