/** A request that was passed on to the worker, which alone writes the ledger while it runs. */
import { randomUUID } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { awaitReply, repliesFolder, wantReply } from '../requests/request-replies.ts';
import { type Holder, penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Call } from './command-module.ts';

export type Submitted = { submitted: string };

/** Null when no worker is running. */
export async function submitToWorker(home: Home, intake: Intake): Promise<Submitted | null> {
  if (penHolder(home.ledgers.run) === null) return null;
  const { submit } = await import('../requests/submit-request.ts');
  return { submitted: submit(join(home.oka, 'intake'), intake) };
}

/** How long the worker is given for an answer; it may be busy. */
const PATIENCE_MS = 15_000;
const WATCH_MS = 250;

/**
 * Submits a request and waits a moment for the reply: null when no worker is running, and no `done` when it has
 * not answered in time. A refusal of the worker is thrown here.
 */
export async function requestOfWorker(
  { home, signal }: Pick<Call, 'home' | 'signal'>,
  intake: Intake,
  patienceMs = PATIENCE_MS,
): Promise<(Submitted & { done?: Json }) | null> {
  const holder = penHolder(home.ledgers.run);
  if (holder === null) return null;
  const { submit } = await import('../requests/submit-request.ts');
  const [id, replies] = [randomUUID(), repliesFolder(home.oka)];
  wantReply(replies, id);
  submit(join(home.oka, 'intake'), intake, id);
  const whileHandled = new AbortController();
  const untaken = holder.brief === true ? watchForUntaken(home, id, holder, whileHandled) : undefined;
  const reply = await awaitReply(replies, id, patienceMs, AbortSignal.any([signal, whileHandled.signal]));
  clearInterval(untaken);
  if (reply === null) return whileHandled.signal.aborted ? null : { submitted: id };
  if ('done' in reply) return { submitted: id, done: reply.done };
  const { code, message, fix } = reply.refused;
  throw new OkaError(code, message, fix === undefined ? {} : { fix });
}

/**
 * A command that had the pen may end before it has read the request, and another one may have it by then: it is withdrawn, and done here. What a worker
 * was asked for stays for the next one, since a command cannot do everything that a worker can.
 */
function watchForUntaken(home: Home, id: string, asked: Holder, whileHandled: AbortController): NodeJS.Timeout {
  return setInterval(() => {
    const now = penHolder(home.ledgers.run);
    if (now !== null && (now.pid === asked.pid || now.brief !== true)) return;
    try {
      unlinkSync(join(home.oka, 'intake', `${id}.json`));
      whileHandled.abort();
    } catch {
      // it was read: whoever takes the pen next does it, and replies
    }
  }, WATCH_MS);
}

export function renderSubmitted({ submitted }: Submitted, what: string): string {
  return `A worker is running; it was asked to ${what} (${submitted}).\n`;
}
