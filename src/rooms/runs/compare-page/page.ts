/** Two runs side by side: what ran, what each step gave, the files that they left, and what they cost. */
import { z } from 'zod';
import { compareByName } from '../compare-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { JsonValue } from '../../../core/schema/json.ts';
import { Id, Instant } from '../../../core/schema/names.ts';
import { RunStatus } from '../../../core/schema/run.ts';
import { Cost } from '../../../core/schema/view-answers.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { definePage, defineQuery } from '../../../kit/web/page.ts';

const pair = <T extends z.ZodType>(value: T) => z.tuple([value, value]);

export const comparePage = definePage({
  name: 'compare',
  path: '/compare',
  title: 'Compare',
  query: defineQuery({
    params: z.object({ a: Id.optional().describe('One run.'), b: Id.optional().describe('The other.') }),
    answer: z
      .strictObject({
        runs: pair(
          z.strictObject({
            run: Id.describe('Of a task, the run with its steps.'),
            title: z.string().describe('What it is about.'),
            status: RunStatus,
            started: Instant.describe('When it started.'),
            cost: Cost,
          }),
        ),
        same: z.boolean().describe('Whether they ended alike, with equal outputs and files.'),
        paths: pair(z.array(z.string())).describe('The steps that ran, in order.'),
        outputs: z
          .array(z.strictObject({ node: z.string().describe('The step.'), output: pair(JsonValue) }))
          .describe('Steps that gave different outputs.'),
        files: z
          .array(
            z.strictObject({
              path: z.string().describe('Where it is on the desk.'),
              content: pair(z.string().nullable()).describe('The hash of its content; null where it is not there.'),
            }),
          )
          .nullable()
          .describe('Files that differ afterwards; null when the snapshots are no longer stored.'),
      })
      .nullable()
      .describe('Two runs side by side; null until both are named.'),
    read: async ({ home, params: { a, b }, views }) =>
      a === undefined || b === undefined
        ? null
        : compareByName(
            home,
            async (run) => {
              const row = await views((rows) => storedRun(rows, run));
              if (row === undefined) throw new OkaError('no-such-run', `there is no run "${run}"`);
              return row;
            },
            [a, b],
          ),
  }),
  intakes: [],
  view: new URL('./browser/compare-view.ts', import.meta.url),
  styles: [new URL('./browser/compare.css', import.meta.url)],
});
