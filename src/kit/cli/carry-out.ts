/**
 * Owns: how a command has something done that only the process with the pen may do. There is no other way.
 *
 * C1 Whoever has the pen is asked, and answers when it is done; where nobody has it, the command does it itself, by the same
 *    handler. What is printed and the exit code are the same.
 * C2 A request that nobody has taken for 30 s is withdrawn, as at Ctrl-C: nothing was done, and nothing will be (exit code
 *    3). It is taken by a rename, so it is either taken or withdrawn.
 * C3 When the process that was asked has gone, whoever gets the pen next does it: another worker, or this command, which
 *    says so.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  awaitReply,
  hasReply,
  repliesFolder,
  takenFile,
  wantReply,
  withdrawRequest,
} from '../requests/request-replies.ts';
import { type Holder, penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import { answerOf } from '../../core/schema/room.ts';
import type { Call } from './command-module.ts';
import { pause } from '../pause.ts';
import type { Host } from '../house/host.ts';
import { withHost } from './host-here.ts';

export type AskingCall = Pick<Call, 'home' | 'signal' | 'notify'> & {
  rooms?: Call['rooms'];
  /** How long the answer is waited for once the request is taken; as long as it takes when left out. */
  answerMs?: number;
  /** The name of the request, where the order of several matters: they are read by name. */
  requestId?: string;
  /** Other than 30 s only in tests. */
  patienceMs?: number;
};

/**
 * `lost`: it was begun by a process that has gone, and whose answer nobody will send any more. `pending`: it takes longer than
 * the command wants to wait.
 */
type Answered = { done: Json } | 'lost' | 'pending';

const PATIENCE_MS = 30_000;
const WATCH_MS = 100;
/** A worker that ends is started again by its supervisor. */
const RESTART_MS = 2500;

/** What was answered; where nobody has the pen, what `here` returns, which does it. */
export async function carryOut(
  call: AskingCall,
  intake: Intake,
  here: () => Promise<Json> = () => doHere(call, intake),
): Promise<Json> {
  const answered = await askOrDo(call, intake, async () => ({ done: await here() }));
  if (typeof answered === 'object') return answered.done;
  throw new OkaError('in-doubt', 'the worker ended while it did this, which may have been done', {
    fix: 'See whether it was, and repeat it if not.',
  });
}

/** What somebody else reads in the ledger, such as maintenance, only has to be recorded. */
export async function recordRequest(call: AskingCall, intake: Intake): Promise<void> {
  await carryOut(call, intake, async () => {
    const { loadConfig } = await import('../settings.ts');
    const { withStores } = await import('../house/await-pen.ts');
    return withStores(call.home, await loadConfig(call.home), call, async ({ ledger }) => {
      await ledger.append({ type: 'intake.received', data: { id: randomUUID(), intake } });
      return null;
    });
  });
}

const doHere = ({ home, signal, notify, rooms }: AskingCall, intake: Intake): Promise<Json> =>
  withHost(home, signal, async ({ handle }) => answerOf(await handle(intake)), { rooms, warn: notify });

/**
 * Asks whoever has the pen, or does it with `here`, which takes the pen. Somebody else may have taken it meanwhile: then
 * nothing was done here, and that one is asked.
 */
export async function askOrDo<T>(call: AskingCall, intake: Intake, here: () => Promise<T>): Promise<Answered | T> {
  const end = performance.now() + (call.patienceMs ?? PATIENCE_MS);
  for (;;) {
    const answered = await askHolder(call, intake, end);
    if (answered !== null) return answered;
    try {
      return await here();
    } catch (error) {
      if (!(error instanceof OkaError) || error.code !== 'pen-held' || performance.now() >= end) throw error;
      await pause(WATCH_MS, call.signal);
    }
  }
}

/** Null when nobody has the pen, and nobody has taken the request. */
async function askHolder(call: AskingCall, intake: Intake, end: number): Promise<Answered | null> {
  const { home, signal, notify } = call;
  const asked = penHolder(home.ledgers.run);
  if (asked === null) return null;
  const { submit } = await import('../requests/submit-request.ts');
  const id = call.requestId ?? randomUUID();
  const [replies, folder] = [repliesFolder(home.oka), join(home.oka, 'intake')];
  wantReply(replies, id);
  submit(folder, intake, id);
  for (;;) {
    const reply = await replyOrEnd({ home, id, asked, end, signal, answerMs: call.answerMs });
    if (typeof reply === 'object') return doneOf(reply);
    const left = takenFile(folder, id);
    switch (reply) {
      case 'interrupted':
        if (!withdrawRequest(folder, id)) notify('It was taken already, and goes on without this command.');
        throw signal.reason;
      case 'pending':
        return 'pending';
      case 'late':
        throw notTaken(asked);
      case 'free':
        if (asked.brief !== true) notify('The worker has ended before it began; it is done here.');
        return null;
      case 'gone':
        if (!existsSync(left)) return 'lost';
        notify('The worker has ended; this command goes on with what it was asked for.');
        await goOnHere(call, replies, id, left);
    }
  }
}

type Reply = NonNullable<Awaited<ReturnType<typeof awaitReply>>>;

function doneOf(reply: Reply): Answered {
  if ('done' in reply) return { done: reply.done };
  const { code, message, fix } = reply.refused;
  throw new OkaError(code, message, fix === undefined ? {} : { fix });
}

type Watched = {
  home: Home;
  id: string;
  asked: Holder;
  end: number;
  signal: AbortSignal;
  answerMs: number | undefined;
};
type Ending = 'interrupted' | 'pending' | 'late' | 'free' | 'gone';

/** The reply, or why none will come. `late` and `free`: the request is withdrawn. */
async function replyOrEnd({
  home,
  id,
  asked,
  end,
  signal,
  answerMs = Number.POSITIVE_INFINITY,
}: Watched): Promise<Reply | Ending> {
  const [replies, folder] = [repliesFolder(home.oka), join(home.oka, 'intake')];
  const stop = new AbortController();
  let why: Ending = 'interrupted';
  const endWith = (found: Ending): void => {
    why = found;
    stop.abort();
  };
  const pen = watchPen(home, asked);
  const began = performance.now();
  const watching = setInterval(() => {
    const state = pen();
    if (hasReply(replies, id)) return;
    if (state === 'free') endWith(withdrawRequest(folder, id) ? 'free' : 'gone');
    else if (state === 'another' && isBegun(folder, id)) endWith('gone');
    else if (performance.now() >= began + answerMs && isTaken(folder, id)) endWith('pending');
    else if (performance.now() >= end && withdrawRequest(folder, id)) endWith('late');
  }, WATCH_MS);
  try {
    return (await awaitReply(replies, id, Number.POSITIVE_INFINITY, AbortSignal.any([signal, stop.signal]))) ?? why;
  } finally {
    clearInterval(watching);
  }
}

const isTaken = (folder: string, id: string): boolean => !existsSync(join(folder, `${id}.json`));
/** Whether it was taken and nothing is left of it: whoever comes next does not find it. */
const isBegun = (folder: string, id: string): boolean => isTaken(folder, id) && !existsSync(takenFile(folder, id));

/** `free`: nobody has it, also not a worker that is started again. */
export function watchPen(home: Home, asked: Holder): () => 'asked' | 'another' | 'free' {
  const patience = asked.brief === true ? 0 : RESTART_MS;
  let freeSince: number | null = null;
  return () => {
    const now = penHolder(home.ledgers.run);
    freeSince = now === null ? (freeSince ?? performance.now()) : null;
    if (freeSince !== null) return performance.now() - freeSince >= patience ? 'free' : 'asked';
    return now?.pid === asked.pid || now?.pid === 0 ? 'asked' : 'another';
  };
}

/** Whoever opens a home handles what was left there; so does this process, which then has its own reply. */
async function goOnHere(
  { home, signal, notify, rooms }: AskingCall,
  replies: string,
  id: string,
  left: string,
): Promise<void> {
  wantReply(replies, id);
  const whenHandled = async ({ engine }: Pick<Host, 'engine'>): Promise<void> => {
    while (existsSync(left) && !signal.aborted && !hasReply(replies, id)) await pause(WATCH_MS, signal);
    await engine.whenIdle();
  };
  try {
    await withHost(home, signal, whenHandled, { rooms, warn: notify });
  } catch (error) {
    if (!(error instanceof OkaError) || error.code !== 'pen-held') throw error;
  }
}

function notTaken({ pid, host, since }: Holder): OkaError {
  const who = pid === 0 ? 'another process' : `process ${pid} on ${host}, which runs since ${since},`;
  return new OkaError('pen-held', `${who} has not taken this request in time; nothing was done, and nothing will be`, {
    fix: 'See what it does: oka status',
  });
}
