/** What a schedule is: the fields that people write, and the values that are recorded about it. */
import { z } from 'zod';
import { Instant } from './names.ts';

const CatchUp = z.enum(['none', 'last', 'all']);
const Overlap = z.enum(['skip', 'queue', 'cancel', 'allow']);
const duration = z.string().max(40);

/** Fields of a task file, and of a file that schedules a graph. Every field has an example for docs/TASKS.md. */
export const scheduleFields = {
  every: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description: 'When it is done again: words, or a cron expression. The file then lives in workspace/schedules/.',
      examples: ['monday 08:00', 'every 2 hours', '0 8 * * 1'],
    }),
  at: z
    .string()
    .max(40)
    .optional()
    .meta({
      description: 'When it is done once; with `every`: the first time, from which intervals are counted.',
      examples: ['2026-12-01T08:00'],
    }),
  timezone: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Time zone of its times. Default: that of the machine.', examples: ['Europe/Berlin'] }),
  catch_up: z
    .union([z.boolean(), CatchUp])
    .optional()
    .meta({
      description:
        'What happens to times that were missed: none, last (one run for all of them; the default) or all (the last ten).',
      examples: ['last'],
    }),
  within: duration
    .optional()
    .meta({ description: 'How old a missed time may be to be made up for. Default: 7 days.', examples: ['2 days'] }),
  overlap: Overlap.optional().meta({
    description: 'When the run before has not ended: skip (the default), queue, cancel (the earlier run), or allow.',
    examples: ['queue'],
  }),
  jitter: duration
    .optional()
    .meta({ description: 'Each run starts up to this much later, by chance.', examples: ['10 minutes'] }),
  until: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'It is not done after this.', examples: ['2027-06-30'] }),
  pause_after_failures: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'It is switched off after so many failed runs in a row.', examples: [3] }),
};

/** The fields as they were written; all of them are optional. */
export type ScheduleFields = z.infer<z.ZodObject<typeof scheduleFields>>;

const seconds = z.int().nonnegative();

/** How a schedule was understood when its file was read. */
export const ScheduleSpec = z
  .strictObject({
    every: z.string().max(200).nullable().describe('How often, as it was written; null for once.'),
    anchor: Instant.describe('Where intervals are counted from; when it is due, if that is once.'),
    from: Instant.nullable().describe('It is not due before this.'),
    until: Instant.nullable().describe('It is not due after this.'),
    timezone: z.string().max(100).describe('The time zone of its times.'),
    catch_up: CatchUp.describe('What happens to times that were missed.'),
    within: seconds.describe('How old a missed time may be to be made up for, in seconds.'),
    overlap: Overlap.describe('What happens when the run before has not ended.'),
    jitter: seconds.describe('How much later a run may start, in seconds.'),
    pause_after_failures: z
      .int()
      .positive()
      .nullable()
      .describe('After how many failures in a row it is switched off.'),
  })
  .describe('When a schedule is due, and what happens to each time.');
export type ScheduleSpec = z.infer<typeof ScheduleSpec>;
