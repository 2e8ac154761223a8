/** The budget of a day: what calls of models may cost together, over all runs. */
import { z } from 'zod';

export const DayBudget = z
  .strictObject({
    usd: z
      .number()
      .nonnegative()
      .optional()
      .describe('Money, in US dollars; a model without a known price costs none.'),
    tokens: z.int().nonnegative().optional().describe('Model tokens, in and out.'),
    calls: z.int().nonnegative().optional().describe('Calls of models.'),
  })
  .describe(
    'Limits of one day, from midnight to midnight in the time zone of the worker; no limit for what is left out.',
  );
export type DayBudget = z.infer<typeof DayBudget>;

export const DayNeed = z
  .strictObject({
    usd: z.number().nonnegative().describe('Money that it may cost at most.'),
    tokens: z.int().nonnegative().describe('Tokens that it may take at most.'),
  })
  .describe('What one call needs of the budget of the day.');
export type DayNeed = z.infer<typeof DayNeed>;

export const DayBudgetLow = z
  .strictObject({
    date: z.iso.date().describe('The day, in the time zone of the worker.'),
    of: z.enum(['usd', 'tokens', 'calls']).describe('Which limit is nearly reached.'),
    limit: z.number().nonnegative().describe('The limit.'),
    spent: z.number().nonnegative().describe('What was spent of it by then.'),
  })
  .describe('Of the budget of a day 80 % are spent; recorded once for each day and limit.');
export type DayBudgetLow = z.infer<typeof DayBudgetLow>;
