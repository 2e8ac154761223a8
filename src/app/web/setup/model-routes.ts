/** Owns: POST /api/v1/model: the choice of a model, with a key that leaves this process encrypted only. */
import type { Hono } from 'hono';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import { readJsonBody } from '../../../kit/web/api/request-body.ts';
import { describeIssues } from '../../../kit/web/describe-issues.ts';
import { chooseModel, ModelChoice } from './choose-model.ts';

export function addModelRoutes(app: Hono, home: Home): void {
  app.post('/api/v1/model', async (context) => {
    try {
      const { success, data, error } = ModelChoice.safeParse(await readJsonBody(context));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      return context.json(await chooseModel(home, data, context.req.raw.signal));
    } catch (error) {
      return problemOf(context, error);
    }
  });
}
