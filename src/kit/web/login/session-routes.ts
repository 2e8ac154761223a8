/** Owns: which browsers and tokens may use the dashboard, as a list, and ending one of them. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { problem, problemOf } from '../api/problem.ts';
import { readJsonBody } from '../api/request-body.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { Instant, Sha256 } from '../../../core/schema/names.ts';
import { describeIssues } from '../describe-issues.ts';
import type { Access, Session } from './access.ts';

export const SessionList = z
  .strictObject({
    sessions: z
      .array(
        z.strictObject({
          id: Sha256.describe('Names it; nobody can log in with it.'),
          kind: z.enum(['browser', 'token']).describe('A browser that has logged in, or a token for programs.'),
          name: z.string().describe('The browser, or the name that a person gave to the token.'),
          rights: z.enum(['all', 'read']).describe('Whether it may answer and change, or only look.'),
          created: Instant.describe('Since when.'),
          used: Instant.describe('The day of its last use.'),
          current: z.boolean().describe('Whether it is the one that asks.'),
        }),
      )
      .describe('The latest first.'),
  })
  .describe('Who may use the dashboard.');

export const SessionEnd = z.strictObject({ id: Sha256.describe('Which one to end.') });
export const SessionEnded = z.strictObject({ ended: z.literal(true) }).describe('It can do nothing any more.');

export function addSessionRoutes(app: Hono, access: Access, find: (context: Context) => Session | null): void {
  app.get('/api/v1/sessions', (context) => {
    const own = find(context)?.id;
    const sessions = access.list().map((session) => ({ ...session, current: session.id === own }));
    return context.json({ sessions } satisfies z.input<typeof SessionList>);
  });
  app.post('/api/v1/sessions/end', async (context) => {
    try {
      const { success, data, error } = SessionEnd.safeParse(await readJsonBody(context));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      if (!access.end(data.id)) return problem(context, 404, 'usage', 'There is no such session; it may have ended.');
      return context.json({ ended: true } satisfies z.input<typeof SessionEnded>);
    } catch (error) {
      return problemOf(context, error);
    }
  });
}
