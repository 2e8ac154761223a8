import { z } from 'zod';

const kept = (count: number, what: string) => z.int().min(0).max(10_000).default(count).describe(what);

/** The part of config.json about backups. */
export const BackupConfig = z
  .strictObject({
    to: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'The folder that backups go to, absolute or relative to the home, best on another disk; while it is set, the worker makes one each day.',
      ),
    recovery: z
      .string()
      .regex(/^age1[0-9a-z]{58}$/)
      .optional()
      .describe('The public half of your recovery key; the first `oka backup` makes the key and prints this line.'),
    every_hours: z.int().min(1).max(8760).default(24).describe('How old the latest backup may become.'),
    keep: z
      .strictObject({
        days: kept(7, 'For so many days the last backup of the day.'),
        weeks: kept(5, 'For so many weeks the last backup of the week.'),
        months: kept(12, 'For so many months the last backup of the month.'),
      })
      .prefault({})
      .describe('Which backups stay; the latest always does.'),
    desk: z.boolean().default(true).describe('Whether the desk is included, workspace/desk.'),
  })
  .describe('Backups: encrypted, incremental, read back after they were written.');
export type BackupConfig = z.infer<typeof BackupConfig>;
