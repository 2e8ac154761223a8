/**
 * Owns: POST /api/v1/bulk: does what `runs-bulk-preview` has shown, run by run, and reports each as a line of JSON.
 * It goes on when the browser goes away: what was confirmed is done.
 */
import type { Hono } from 'hono';
import { performBulk, REQUESTS_AT_ONCE } from '../../../rooms/runs/bulk-acts.ts';
import { repeatRun } from '../../../rooms/runs/repeat-run.ts';
import { type BulkOutcome, BulkRequest } from '../../../core/schema/bulk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import { describeIssues } from '../../../kit/web/describe-issues.ts';
import { request } from './intake-routes.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import { readJsonBody } from '../../../kit/web/api/request-body.ts';

export function addBulkRoutes(app: Hono, home: Home, signal: AbortSignal): void {
  const submit = async (intake: Intake): Promise<unknown> => (await request(home, intake, signal)).done;
  app.post('/api/v1/bulk', async (context) => {
    try {
      const { success, data, error } = BulkRequest.safeParse(await readJsonBody(context));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      const repeat = (run: string): Promise<unknown> => repeatRun(home, run, submit);
      const outcomes = performBulk(data, { request: submit, repeat, atOnce: REQUESTS_AT_ONCE });
      const first = await outcomes.next(); // a token that does not fit is refused before anything is sent
      return new Response(linesOf(first, outcomes), { headers: { 'Content-Type': 'application/x-ndjson' } });
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

function linesOf(first: IteratorResult<BulkOutcome, void>, rest: AsyncGenerator<BulkOutcome>): ReadableStream {
  const encoder = new TextEncoder();
  let isWatched = true;
  return new ReadableStream({
    start: async (controller) => {
      for (let next = first; next.done !== true; next = await rest.next())
        if (isWatched) controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      if (isWatched) controller.close();
    },
    cancel: () => void (isWatched = false),
  });
}
