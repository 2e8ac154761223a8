/**
 * Owns: POST /api/v1/rules: a change of the rules that a person has looked at, with a login for this one change.
 *
 * 1. A session is not enough, nor is a token: each change brings the passphrase, or a link that nobody has used.
 * 2. The change is worked out again from the file as it is; it counts only while that is what the person has seen.
 * 3. The dashboard writes no rules: the process with the pen does, and the ledger has the request.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { request } from '../api/intake-routes.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { Sha256 } from '../../../core/schema/names.ts';
import { problem, problemOf } from '../../../kit/web/api/problem.ts';
import { readJsonBody } from '../../../kit/web/api/request-body.ts';
import { NEW_LINK } from '../../../kit/web/login/login-routes.ts';
import { describeIssues } from '../../../kit/web/describe-issues.ts';
import { changeRules, RulesChange } from '../../settings/rules-change.ts';

export const RulesConfirmed = z
  .strictObject({
    change: RulesChange,
    replaces: Sha256.nullable().describe('The hash of the file that was shown; null for a new file.'),
    proof: z.string().min(1).max(1000).describe('A link of oka web link that is not used yet, or the passphrase.'),
  })
  .describe('A change of the rules, confirmed by logging in for it.');

type Parts = {
  home: Home;
  /** Null when it is right. */
  checkProof: (context: Context, proof: string) => Promise<{ message: string } | null>;
  nameOf: (context: Context) => string;
};

export function addRulesRoutes(app: Hono, { home, checkProof, nameOf }: Parts): void {
  app.post('/api/v1/rules', async (context) => {
    try {
      const { success, data, error } = RulesConfirmed.safeParse(await readJsonBody(context));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      const { file, after, problem: wrong } = changeRules(home, data.change);
      if (wrong !== null) return problem(context, 422, 'invalid-file', wrong);
      const refused = await checkProof(context, data.proof);
      if (refused !== null) return problem(context, 403, 'not-permitted', refused.message, NEW_LINK);
      const intake = { kind: 'write_rules', file, text: after, replaces: data.replaces, by: nameOf(context) } as const;
      return context.json(await request(home, intake, context.req.raw.signal));
    } catch (error) {
      return problemOf(context, error);
    }
  });
}
