/** Earlier runs of a graph, as a node that reads them sees them. */
import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Id } from './names.ts';
import { RunStatus } from './run.ts';

export const PriorRun = z.strictObject({
  run: Id.describe('Its name.'),
  status: RunStatus,
  started: z.string().describe('When it began.'),
  ended: z.string().nullable().describe('When it ended; null when it has not.'),
  reason: z.string().describe('Why it ended so.'),
  input: JsonValue.describe('What it was started with.'),
  output: JsonValue.describe('What it gave; null when it has not ended well.'),
});
export type PriorRun = z.infer<typeof PriorRun>;

const PriorRunField = z.enum(['run', 'status', 'started', 'ended', 'reason', 'input', 'output']);

export const priorRunsFields = {
  status: z
    .union([RunStatus, z.array(RunStatus).min(1).max(10)])
    .optional()
    .describe('Only runs with this status, or one of these; all when left out.'),
  limit: z.int().min(1).max(100).default(10).describe('How many at most; the latest come first.'),
  fields: z
    .array(PriorRunField)
    .min(1)
    .max(10)
    .default(['run', 'status', 'started', 'ended', 'reason', 'input', 'output'])
    .describe('What is given of each run.'),
};

export const PriorRunsQuery = z.strictObject({ graph: Id.describe('Whose runs.'), ...priorRunsFields });
export type PriorRunsQuery = z.infer<typeof PriorRunsQuery>;
