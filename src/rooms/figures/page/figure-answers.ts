/** What the page Figures asks for and is answered. Days are days in UTC. */
import { z } from 'zod';
import { Id, Instant } from '../../../core/schema/names.ts';
import { RunStatus } from '../../../core/schema/run.ts';

export const Day = z.iso.date().describe('A day in UTC, such as 2026-01-31.');

const Spend = z
  .strictObject({
    usd: z.number().nonnegative().describe('Money, where the price of the model is known.'),
    tokens_in: z.int().nonnegative().describe('Prompt tokens.'),
    tokens_out: z.int().nonnegative().describe('Answer tokens.'),
    calls: z.int().nonnegative().describe('Answers of models.'),
  })
  .describe('What models cost.');

const SpendByModel = Spend.extend({
  models: z.record(z.string(), Spend).describe('The same by model, provider:model.'),
}).describe('What models cost, in all and by model.');

const Figure = z
  .strictObject({
    name: z.string().describe('What it measures, such as completion.'),
    unit: z.enum(['share', 'seconds', 'usd', 'tokens', 'count', 'ratio']).describe('What its numbers are.'),
    value: z.number().nullable().describe('Of all days together; null when there is nothing to measure yet.'),
    of: z.string().describe('What the value is made of, for a person.'),
    days: z.array(z.number().nullable()).describe('The same for each of the days; null for a day without any.'),
  })
  .describe('One figure.');

const Today = z
  .strictObject({
    date: Day,
    spent: SpendByModel,
    limit_usd: z.number().nonnegative().nullable().describe('What may be spent on one day; null without a limit.'),
    left_usd: z.number().nonnegative().nullable().describe('What is left of it.'),
    limit_tokens: z.number().nonnegative().nullable().describe('Tokens of one day; null without a limit.'),
    left_tokens: z.number().nonnegative().nullable().describe('What is left of them.'),
    limit_calls: z.number().nonnegative().nullable().describe('Calls of models of one day; null without a limit.'),
    left_calls: z.number().nonnegative().nullable().describe('What is left of them.'),
  })
  .describe('What today has cost so far.');

export const FiguresAnswer = z
  .strictObject({
    days: z.array(Day).describe('The days that the series are about.'),
    tasks: z.int().nonnegative().describe('Tasks that ended on these days or are not over.'),
    open: z.int().nonnegative().describe('Those that are not over.'),
    figures: z.array(Figure).describe('How well it goes.'),
    spend: z.array(SpendByModel).describe('What each of the days cost.'),
    total: SpendByModel.describe('What all of the days cost.'),
    today: Today,
  })
  .describe('How well the assistant does, and what it costs.');

export const RunBehind = z
  .strictObject({
    run: Id,
    title: z.string().describe('What it is about.'),
    status: RunStatus.nullable().describe('Its status; null when nothing is known of it.'),
    started: Instant.nullable().describe('When it started.'),
    usd: z.number().nonnegative().describe('What it cost itself.'),
    tokens: z.int().nonnegative().describe('Model tokens, in and out.'),
  })
  .describe('A run behind a figure.');

export const FigureRunsAnswer = z
  .strictObject({
    figure: z.string().describe('Which figure.'),
    of: z.string().describe('What its value is made of.'),
    value: z.number().nullable().describe('Its value on these days.'),
    runs: z.array(RunBehind).describe('The latest of the runs that make it what it is, the latest first.'),
  })
  .describe('The runs behind a figure.');

export const SpendDayAnswer = z
  .strictObject({
    date: Day,
    spent: SpendByModel,
    runs: z
      .array(
        SpendByModel.extend({
          run: Id.nullable().describe('The task; null for maintenance.'),
          title: z.string().describe('What it is about.'),
        }),
      )
      .describe('What it was spent on, the most expensive first.'),
    more: z.int().nonnegative().describe('How many further runs are left out.'),
  })
  .describe('What a day cost, by run.');

export const SpendRunAnswer = z
  .strictObject({
    run: Id.nullable().describe('The task; null for maintenance.'),
    title: z.string().describe('What it is about.'),
    spent: SpendByModel,
    steps: z
      .array(
        Spend.extend({
          run: Id.nullable().describe('The run that the step is in: the task itself, or one inside it.'),
          node: z.string().nullable().describe('The step.'),
          title: z.string().describe('What the step is about.'),
          answers: z
            .array(
              Spend.omit({ calls: true }).extend({
                seq: z.int().positive().describe('The event with the answer.'),
                at: Instant.describe('When it came.'),
                call: z.string().describe('The call.'),
                model: z.string().describe('Who answered, provider:model.'),
                ms: z.number().nullable().describe('How long it took.'),
              }),
            )
            .describe('The answers of models that it asked for, in their order.'),
        }),
      )
      .describe('Its steps, in the order in which they first asked a model.'),
    more: z.boolean().describe('Whether further answers are left out.'),
  })
  .describe('What a task cost, by step and by call.');
