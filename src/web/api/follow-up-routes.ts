/** Owns: POST /api/v1/run-again and /api/v1/run-correct: tasks that follow from an earlier run, put into the inbox. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { correctRun } from '../../daemon/home/correct-run.ts';
import { repeatTask } from '../../daemon/home/repeat-task.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { Id } from '../../schema/names.ts';
import { describeIssues } from '../describe-issues.ts';
import { readRunTree, type RunTree } from '../pages/run/run-tree.ts';
import { problemOf } from './problem.ts';
import type { Reading } from './query-routes.ts';
import { readJsonBody } from './request-body.ts';

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
