/** What the page Schedules is answered. */
import { z } from 'zod';
import { Id, Instant } from '../../../core/schema/names.ts';

export const SlotRow = z
  .strictObject({
    slot: Instant.describe('The time it was due.'),
    how: z.string().describe('Ran, skipped, missed, or caught up.'),
    reason: z.string().describe('Why.'),
    run: Id.nullable().describe('The run that it made.'),
    source: z.enum(['schedule', 'trigger', 'backfill']).describe('The clock, or a person.'),
  })
  .describe('A time that came.');

const Row = z
  .strictObject({
    schedule: Id,
    kind: z.enum(['task', 'graph']).describe('What it runs.'),
    title: z.string().describe('What it does.'),
    file: z.string().describe('Its file or folder in workspace/schedules.'),
    every: z.string().nullable().describe('When it is due; null for once.'),
    says: z.string().describe('When it is due, in words.'),
    timezone: z.string().describe('Its time zone.'),
    on: z.boolean().describe('Whether it runs.'),
    next: z.array(Instant).describe('The next five times; none when it is off or over.'),
    next_local: z.array(z.string()).describe('The same in its time zone.'),
    last: z
      .strictObject({ slot: Instant, how: z.string(), reason: z.string() })
      .nullable()
      .describe('Its last time by the clock.'),
    last_run: z
      .strictObject({ run: Id, status: z.string(), at: Instant })
      .nullable()
      .describe('Its last run that ended.'),
    failures: z.int().nonnegative().describe('Failed runs in a row.'),
    text: z.string().nullable().describe('Its file, when it is a text that can be changed on the page.'),
    problem: z.string().nullable().describe('Why its file cannot be read; null when it can.'),
    slots: z.array(SlotRow).describe('Its last times, the latest first.'),
  })
  .describe('A schedule.');

export type SchedulesAnswer = z.infer<typeof SchedulesAnswer>;
export const SchedulesAnswer = z
  .strictObject({
    clock: z.boolean().describe('Whether times are checked by themselves.'),
    schedules: z.array(Row).describe('The next one first.'),
    week: z
      .array(
        z.strictObject({
          schedule: Id,
          title: z.string().describe('What it does.'),
          at: Instant.describe('When it was or is due.'),
          state: z.string().describe('due: still to come; missed or skipped; else the status of its run.'),
          run: Id.nullable().describe('The run that it made.'),
        }),
      )
      .describe('Times of the last three days and the next four, in their order.'),
    refused: z
      .array(z.strictObject({ file: z.string(), reason: z.string() }))
      .describe('Files in workspace/schedules that cannot be read.'),
  })
  .describe('Everything that runs by itself.');

export type BackfillAnswer = z.infer<typeof BackfillAnswer>;
export const BackfillAnswer = z
  .strictObject({
    schedule: Id,
    from: Instant.describe('The beginning, as a moment.'),
    to: Instant.describe('The end, as a moment.'),
    count: z.int().nonnegative().describe('How many runs it would make.'),
    first: Instant.nullable().describe('The first time.'),
    last: Instant.nullable().describe('The last time.'),
  })
  .describe('What a backfill would run; times in the future are left out.');
