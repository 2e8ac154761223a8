/** What the page Runs reads: pages of the list, what is folded under a run, and what an act on many would do. */
import { z } from 'zod';
import { previewBulk } from '../bulk-acts.ts';
import { BulkAct, BulkPreview, MOST_AT_ONCE } from '../../../core/schema/bulk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { Id } from '../../../core/schema/names.ts';
import { RunKind, RunStatus } from '../../../core/schema/run.ts';
import { runFilterFields, RunsPage, RunsQuery, RunSummary } from '../../../core/schema/view-answers.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { pageOfRuns, summaryOf } from '../../../kit/views/runs-query.ts';
import { defineQuery } from '../../../kit/web/page.ts';

const MOST_RUNS = 200;

/** Values of one parameter, separated by commas: `failed,cancelled`. */
const severalOf = <T extends z.ZodType<string, string>>(value: T, description: string) =>
  z
    .string()
    .max(200)
    .transform((given) => given.split(','))
    .pipe(z.array(value).min(1).max(20))
    .optional()
    .describe(description);

const amount = z.coerce.number().nonnegative();
const whole = z.coerce.number().int();

/** The filters as they stand in the address of the page. */
const filterParams = {
  status: severalOf(RunStatus, 'Only runs with one of these statuses, separated by commas.'),
  kind: severalOf(RunKind, 'Only runs of one of these kinds, separated by commas.'),
  tag: runFilterFields.tag,
  schedule: runFilterFields.schedule,
  since: runFilterFields.since,
  until: runFilterFields.until,
  min_cost: amount.optional().describe('Only runs that cost at least so many US dollars.'),
  max_cost: amount.optional().describe('Only runs that cost at most so many US dollars.'),
  text: runFilterFields.text,
  archived: runFilterFields.archived,
};

export const runsQuery = defineQuery({
  params: z.object({
    ...filterParams,
    limit: whole.positive().max(MOST_RUNS).default(100).describe(`How many, at most ${MOST_RUNS}.`),
    after: whole.positive().optional().describe('The cursor behind which the page begins.'),
    before: whole.positive().optional().describe('The cursor before which the page ends.'),
    skip: whole.nonnegative().optional().describe('How many newer ones are left out, in the list without filters.'),
  }),
  answer: RunsPage,
  read: ({ params, views }) => views((rows) => pageOfRuns(rows, withoutUnset(params))),
});

const MOST_RELATED = 100;

export const relatedRunsQuery = defineQuery({
  params: z.object({ run: Id }),
  answer: z
    .strictObject({
      inside: z.array(RunSummary).describe('Runs that it started, and runs that continue or correct it, in order.'),
      earlier: z.array(RunSummary).describe('Earlier runs of the same schedule, the latest first.'),
    })
    .describe('What the list folds under a run.'),
  read: ({ params: { run }, views }) =>
    views((rows) => {
      const row = storedRun(rows, run);
      if (row === undefined) throw new OkaError('no-such-run', `there is no run "${run}"`);
      const children = row.children.slice(-MOST_RELATED).flatMap((child) => storedRun(rows, child) ?? []);
      const { schedule, received } = row;
      const earlier =
        schedule === undefined ? [] : pageOfRuns(rows, { schedule, after: received, limit: MOST_RELATED }).runs;
      return { inside: children.map((child) => summaryOf(rows, child)), earlier };
    }),
});

export const bulkPreviewQuery = defineQuery({
  isPosted: true,
  params: z.object({
    act: BulkAct,
    runs: z.array(Id).min(1).max(MOST_AT_ONCE).optional().describe('These runs; without them, those of the filter.'),
    filter: z.object(filterParams).default({ archived: 'no' }),
  }),
  answer: BulkPreview,
  read: ({ home, params: { act, runs, filter }, views }) =>
    views((rows) => previewBulk(home, rows, act, runs === undefined ? { filter: withoutUnset(filter) } : { runs })),
});

/** A parameter that was not given is absent, and not undefined. */
const withoutUnset = (params: object): RunsQuery =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
