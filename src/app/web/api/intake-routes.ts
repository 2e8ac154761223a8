/**
 * Owns: POST /api/v1/intakes: passes a request on to the process with the pen, and its reply back.
 * Does not own: deciding anything about it; the worker refuses what is not right, such as a binding that has changed.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { chatRequestId } from '../../../rooms/chat/submit-chat.ts';
import { awaitReply, wantReply, webRepliesFolder } from '../../../kit/requests/request-replies.ts';
import { submit } from '../../../kit/requests/submit-request.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { Intake } from '../../../core/schema/intake.ts';
import type { Json } from '../../../core/schema/json.ts';
import { describeIssues } from '../../../kit/web/describe-issues.ts';
import type { Page } from '../../../kit/web/page.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import { readJsonBody } from '../../../kit/web/api/request-body.ts';

/** `done` is the worker's reply; without it the request waits for the worker. */
export type Submitted = { id: string; done?: Json; worker: boolean };

/** How long the worker is given for an answer; it may be busy. */
const PATIENCE_MS = 15_000;

export function addIntakeRoutes(
  app: Hono,
  pages: readonly Page[],
  home: Home,
  session: (context: Context) => string,
): void {
  const allowed = new Set(pages.flatMap(({ intakes }) => intakes));
  app.post('/api/v1/intakes', async (context) => {
    try {
      const { success, data, error } = Intake.safeParse(await readJsonBody(context));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      if (!allowed.has(data.kind)) throw new OkaError('not-permitted', `no page asks for "${data.kind}"`);
      return context.json(await request(home, signed(data, session(context)), context.req.raw.signal));
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

/** Submits a request and waits a moment for the reply of a worker, if there is one. A refusal is thrown. */
export async function request(
  home: Home,
  intake: Intake,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<Submitted> {
  const isChat = intake.kind.startsWith('chat_');
  const [id, replies] = [isChat ? chatRequestId() : randomUUID(), webRepliesFolder(home.oka)];
  const worker = penHolder(home.ledgers.run) !== null;
  if (worker) wantReply(replies, id);
  submit(join(home.oka, 'intake'), intake, id);
  const reply = worker ? await awaitReply(replies, id, patienceMs, signal) : null;
  if (reply === null) return { id, worker };
  if ('done' in reply) return { id, worker, done: reply.done };
  const { code, message, fix } = reply.refused;
  throw new OkaError(code, message, fix === undefined ? {} : { fix });
}

/** Who answered is what the session says, not what the page says. */
function signed(intake: Intake, by: string): Intake {
  if (intake.kind === 'answer') return { ...intake, answer: { ...intake.answer, by } };
  if (intake.kind === 'resolve' || intake.kind === 'state' || intake.kind === 'note') return { ...intake, by };
  if (intake.kind.startsWith('chat_')) return { ...intake, by } as Intake;
  return intake;
}
