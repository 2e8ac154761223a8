/** What the pages about procedures are answered. */
import { z } from 'zod';
import { Evidence } from '../../../core/schema/memory.ts';
import { Id, Instant } from '../../../core/schema/names.ts';
import { ProcedureChoice, ProcedureMove, ProcedureNumbers, ProcedureStatus } from '../../../core/schema/procedure.ts';

export const Outcome = z
  .enum(['fine', 'bad', 'open'])
  .describe('It went well; it failed, was cancelled, corrected or undone; it is in progress.');

export const ProcedureRow = z
  .strictObject({
    procedure: Id,
    title: z.string().describe('The tasks that it does.'),
    version: z.int().positive(),
    status: ProcedureStatus,
    forced: z.boolean().describe('Whether a person set the status, overriding the numbers.'),
    probation: z.boolean().describe('Whether the critic still judges its uses.'),
    since: Instant.nullable().describe('Since when it has that status.'),
    reason: z.string().describe('Why it has it.'),
    runs: z.int().nonnegative().describe('How many runs it was made from.'),
    from: Id.nullable().describe('The member of the fleet that shared it; null where it was learned here.'),
    used: z.int().nonnegative().describe('How many tasks it has planned.'),
    trend: z.array(Outcome).describe('How its last uses went, the latest last.'),
    numbers: ProcedureNumbers.nullable().describe(
      'What speaks for it and against it; null when it was not judged yet.',
    ),
  })
  .describe('A procedure.');
export type ProcedureRow = z.infer<typeof ProcedureRow>;

export type ProceduresAnswer = z.infer<typeof ProceduresAnswer>;
export const ProceduresAnswer = z
  .strictObject({
    procedures: z.array(ProcedureRow).describe('Those in use first.'),
    retired: z.int().nonnegative().describe('How many are retired.'),
  })
  .describe('What is done without planning, or may be one day.');

export type ProcedureAnswer = z.infer<typeof ProcedureAnswer>;
export const ProcedureAnswer = ProcedureRow.extend({
  page: z.string().describe('What it does and how, as markdown.'),
  evidence: z.array(Evidence).describe('The runs that it was made from.'),
  now: ProcedureNumbers.nullable().describe('The numbers as they are now; null when maintenance does not know it yet.'),
  missing: z.array(z.string()).describe('What is missing until it is tried again, is promoted, or its probation ends.'),
  moves: z
    .array(ProcedureMove.extend({ seq: z.int().positive(), at: Instant }))
    .describe('Its changes of status, the latest first.'),
  uses: z
    .array(
      z.strictObject({
        run: Id,
        seq: z.int().positive(),
        at: Instant,
        arm: ProcedureChoice.shape.arm,
        ended: z.string().nullable().describe('How the task ended; null while it is in progress.'),
        outcome: Outcome,
      }),
    )
    .describe('The last tasks that it fits, the latest first.'),
}).describe('A procedure, why it is used or not, and the tasks behind that.');
