/** Acts on many runs at once: what would be done is shown first, and exactly that list is then done. */
import { z } from 'zod';
import { Id } from './names.ts';
import { RunStatus } from './run.ts';

export const BulkAct = z
  .enum(['cancel', 'pause', 'resume', 'again', 'undo', 'archive', 'unarchive', 'pin', 'unpin'])
  .describe('What is done with each run.');
export type BulkAct = z.infer<typeof BulkAct>;

/** How many runs one act takes at most. */
export const MOST_AT_ONCE = 1000;

const ChosenRun = z.strictObject({
  run: Id,
  title: z.string().describe('What it is about.'),
  status: RunStatus,
  member: z
    .string()
    .nullable()
    .optional()
    .describe('Of a task that was given to the fleet: the other member that has it; null while it is in the queue.'),
});

export const BulkPreview = z
  .strictObject({
    act: BulkAct,
    count: z.int().nonnegative().describe('On how many runs it would act.'),
    runs: z.array(ChosenRun).describe('On which, in the order in which it would act.'),
    left_out: z
      .array(
        ChosenRun.extend({
          why: z.string().describe('Why it is left out.'),
          so_already: z.literal(true).optional().describe('What is asked for is so already.'),
        }),
      )
      .describe('Runs that were chosen, and that it cannot act on.'),
    complete: z.boolean().describe(`False when more than ${MOST_AT_ONCE} runs were chosen: these are the latest.`),
    token: z.string().describe('Stands for exactly this act on exactly these runs.'),
  })
  .describe('What an act on many runs would do.');
export type BulkPreview = z.infer<typeof BulkPreview>;

export const BulkRequest = z
  .strictObject({
    act: BulkAct,
    runs: z.array(Id).min(1).max(MOST_AT_ONCE).describe('The runs of the preview.'),
    token: z.string().max(100).describe('The token of the preview.'),
  })
  .describe('Does what was shown.');
export type BulkRequest = z.infer<typeof BulkRequest>;

export const BulkOutcome = z
  .strictObject({
    run: Id,
    outcome: z
      .enum(['done', 'queued', 'failed'])
      .describe('Queued: the worker was asked, and has not answered yet or does not run.'),
    message: z.string().optional().describe('Why it failed, or that it was so already.'),
    fix: z.string().optional().describe('What to do about it.'),
  })
  .describe('How the act on one run went.');
export type BulkOutcome = z.infer<typeof BulkOutcome>;
