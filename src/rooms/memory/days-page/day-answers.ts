/** What the page Days is answered. */
import { z } from 'zod';

export const Day = z.iso.date().describe('A day in UTC, such as 2026-01-31.');

export type DaysAnswer = z.infer<typeof DaysAnswer>;
export const DaysAnswer = z
  .strictObject({
    days: z.array(Day).describe('All days that have a page, the latest first.'),
    day: Day.nullable().describe('The day that is shown; null when there is none.'),
    page: z.string().describe('Its page, as markdown.'),
    notes: z.string().describe('What people wrote on it, as markdown.'),
    file: z.string().nullable().describe('The file of the page, below the home.'),
  })
  .describe('What happened on a day.');
