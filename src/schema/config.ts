import { z } from 'zod';

export const Config = z
  .strictObject({
    $schema: z.string().optional().describe('Where an editor finds the schema of this file.'),
    ledger: z
      .strictObject({
        snapshot_events: z
          .int()
          .min(1)
          .max(1_000_000)
          .default(1000)
          .describe('Write projections at the latest after this many events.'),
        snapshot_ms: z
          .int()
          .min(10)
          .max(60_000)
          .default(250)
          .describe('Write projections at the latest after this many milliseconds.'),
        reserve_kb: z
          .int()
          .min(4)
          .max(65_536)
          .default(64)
          .describe('Disk space kept aside, so that a full disk can still be recorded.'),
        segment_mb: z.int().min(1).max(512).default(16).describe('Size of one archive segment before compression.'),
      })
      .prefault({})
      .describe('The append-only log.'),
  })
  .describe('Settings, in .oka/rules/config.json. People edit it; the assistant cannot.');
export type Config = z.infer<typeof Config>;
