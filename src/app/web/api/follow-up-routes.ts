/** Owns: POST /api/v1/run-again and /api/v1/run-correct: tasks that follow from an earlier run, put into the inbox. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { correctRun } from '../../../rooms/runs/correct-run.ts';
import { repeatTask } from '../../../rooms/runs/repeat-task.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { Id } from '../../../core/schema/names.ts';
import { describeIssues } from '../../../kit/web/describe-issues.ts';
import { readRunTree, type RunTree } from '../../../rooms/runs/run-page/run-tree.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import type { Reading } from '../../../kit/web/api/query-routes.ts';
import { readJsonBody } from '../../../kit/web/api/request-body.ts';

const Again = z.strictObject({ run: Id });
const Correct = z.strictObject({ run: Id, text: z.string().trim().min(1).max(20_000) });

export function addFollowUpRoutes(app: Hono, { home, reader }: Reading): void {
  const eventsOf = async (run: string): Promise<RunTree['own']> =>
    (await readRunTree({ home, views: reader.read }, run)).own;
  const hasWorker = (): boolean => penHolder(home.ledgers.run) !== null;
  app.post('/api/v1/run-again', async (context) => {
    try {
      const { run } = parseBody(Again, await readJsonBody(context));
      return context.json({ ...(await repeatTask(home, run, await eventsOf(run))), worker: hasWorker() });
    } catch (error) {
      return problemOf(context, error);
    }
  });
  app.post('/api/v1/run-correct', async (context) => {
    try {
      const { run, text } = parseBody(Correct, await readJsonBody(context));
      return context.json({ ...(await correctRun({ home, run, text }, () => eventsOf(run))), worker: hasWorker() });
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
  return data;
}
