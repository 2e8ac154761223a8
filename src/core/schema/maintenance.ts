import { z } from 'zod';

const cron = z.string().min(1).max(120);
const days = z.int().positive().max(36_500).nullable();

export const MaintenanceConfig = z
  .strictObject({
    off: z.boolean().default(false).describe('Whether there is no maintenance at all; oka up then starts none.'),
    slots: z
      .strictObject({
        learn: cron.default('*/10 * * * *').describe('When what is new is read and learned from.'),
        tidy: cron.default('30 3 * * *').describe('When old things are compacted, archived and removed.'),
      })
      .prefault({})
      .describe('When maintenance works, as cron expressions in UTC.'),
    catch_up: z.boolean().default(true).describe('Whether a missed time is made up for, once for all of them.'),
    procedures: z
      .strictObject({
        least_successes: z
          .int()
          .min(1)
          .max(1000)
          .default(3)
          .describe('Successful runs that do not depend on each other.'),
        e_value: z
          .number()
          .min(1)
          .max(1e6)
          .default(20)
          .describe(
            'Evidence that is asked for that it fails less, where it is not cheaper; 20 lets at most one of 20 through that does not.',
          ),
        trial_share: z
          .number()
          .min(0)
          .max(1)
          .default(0.5)
          .describe(
            'Share of matching tasks that try a candidate. What the others write is compared with it; without any, it is not promoted.',
          ),
        hold_back: z.number().min(0).max(0.5).default(0.1).describe('Share of tasks that keep running without it.'),
        recent_runs: z.int().min(1).max(100).default(5).describe('This many of its latest runs must have succeeded.'),
        recent_days: z.int().min(1).max(3650).default(14).describe('A contradiction counts for so many days.'),
        retire_days: days.default(180).describe('Unused for so long, it is retired; null = never.'),
      })
      .prefault({})
      .describe('When a procedure is believed.'),
    unused_days: days.default(180).describe('A fact that no prompt used for so long is retired; null = never.'),
    compact_days: days.default(60).describe('Pages of days older than this are shortened; null = never.'),
    archive_days: days.default(90).describe('Finished runs older than this leave the live ledger; null = never.'),
    archive_mb: z
      .int()
      .positive()
      .nullable()
      .default(256)
      .describe(
        'Of a live ledger that is larger, all finished runs but those of the last week leave; null = by age only.',
      ),
    artifact_days: days.default(30).describe('Artifacts that no event names are removed after this; null = never.'),
    outbox_days: days.default(null).describe('Results older than this are removed from the outbox; null = never.'),
    outbox_mb: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('The oldest results go when the outbox is larger than this; null = never.'),
    undo_days: days.default(30).describe('States of the desk for oka undo are stored for so long; null = for ever.'),
    undo_mb: z
      .int()
      .positive()
      .nullable()
      .default(2048)
      .describe('The oldest states of the desk go when all take more than this; null = never.'),
    wording: z
      .boolean()
      .default(false)
      .describe('Whether a model may reword lessons; anything it adds without evidence is dropped.'),
    wording_budget: z
      .strictObject({
        tokens: z.int().nonnegative().default(50_000).describe('Model tokens, in and out.'),
        usd: z.number().nonnegative().default(0.5).describe('Money, as far as the price of the model is known.'),
      })
      .prefault({})
      .describe('Upper limits for wording in a day (UTC); when they are reached, lessons stay as they are.'),
  })
  .describe('The maintenance process: what it learns, retains and removes.');
export type MaintenanceConfig = z.infer<typeof MaintenanceConfig>;

/** Jobs of maintenance that have slots (`slot.came`); other jobs have names of their own. */
export const maintenanceJobs = ['learn', 'tidy'] as const;
export const isMaintenanceJob = (job: string): boolean => maintenanceJobs.some((each) => each === job);
