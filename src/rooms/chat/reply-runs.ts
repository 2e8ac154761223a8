/**
 * Owns: how a notice gets from the queue to its answer: taken, answered by a run, posted with the notices that its own
 * mentions make.
 * Does not own: what is asked of a model (reply-planner.ts), which events a message leads to (rooms/chat/model/post-message.ts).
 *
 * N1 One answer per notice: its run has a name that follows from it, and the answer is written only while it is open.
 *    Whatever a process that died had done is found in the ledger, and the rest is done.
 * N2 In one conversation notices are answered one after the other, in the order in which they were queued; different
 *    conversations are answered at the same time.
 * N3 While a conversation is paused nothing begins in it, and its run makes no further call; an answer that is being
 *    written is posted, and whom it mentions waits.
 * N4 While a person types, forwards of agents wait; what the person asked is answered.
 */
import type { ChatState, Notice } from './model/chat-state.ts';
import { noticeEvents } from './model/post-message.ts';
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import { noticeOfRun, replyRun } from '../../core/schema/chat-names.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { RunSignal } from '../../core/schema/ports.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import type { ChatWriter } from './chat-writer.ts';
import { failedEnd, NO_COST, postReply, type PostReplyPorts } from './post-reply.ts';
import { IDLE, replyEnd, STOPPED_END } from './reply-message.ts';
import { startReply, type StartReplyPorts } from './start-reply.ts';

export type ReplyRunPorts = StartReplyPorts &
  PostReplyPorts & {
    runs: Pick<Runs, 'stateOf'>;
    /** Whether nothing new may begin now. */
    isHalted: () => boolean;
    isTyping: (conversation: string) => boolean;
    clock: () => number;
  };

export type ReplyRuns = {
  /** Begins what can begin, and ends what has ended. */
  advance: () => Promise<void>;
  /** Called when a run settles; posts the answer of one that is over. */
  settle: (run: RunState) => Promise<void>;
  /** Stops the answer to a notice that was taken; what is posted says so. */
  stop: (notice: Notice, reason: string) => void;
  /** Called with each durable event of a run of a reply, so that one without progress is noticed, and one that paused. */
  noteEvent: (event: Event & { run: string }) => void;
};

/** What this process knows about runs of replies; all of it is found again in the ledger. */
type Known = {
  /** Runs that were begun or checked here. */
  checked: Set<string>;
  /** Runs that were asked to pause. */
  paused: Set<string>;
  /** Runs that wait for a person; they take no place. */
  waiting: Set<string>;
  /** When a run made progress, in milliseconds. */
  progress: Map<string, number>;
};
type Context = ReplyRunPorts & { known: Known };

const PAUSED: RunSignal = { kind: 'pause', reason: 'the conversation was paused', isGentle: true };

export function replyRuns(ports: ReplyRunPorts): ReplyRuns {
  const known: Known = { checked: new Set(), paused: new Set(), waiting: new Set(), progress: new Map() };
  const context: Context = { ...ports, known };
  let advancing: Promise<void> | null = null;
  let isAgain = false;
  const advance = (): Promise<void> => {
    isAgain = advancing !== null;
    advancing ??= (async () => {
      try {
        await advanceAll(context);
      } finally {
        advancing = null;
      }
      if (isAgain) await advance();
    })();
    return advancing;
  };
  return {
    advance,
    settle: (run) => settle(context, run),
    stop: (notice, reason) =>
      // it is looked at again, and stopped then
      void stop(context, notice, reason).catch(() => known.checked.delete(replyRun(notice.notice))),
    noteEvent: ({ run, type, data }) => {
      known.waiting.delete(run);
      if (known.progress.has(run)) known.progress.set(run, ports.clock());
      // The conversation may have been resumed before its run had paused: then the run is resumed once more.
      if (type === 'run.paused' && data.reason === PAUSED.reason) known.checked.delete(run);
    },
  };
}

async function advanceAll(context: Context): Promise<void> {
  const { writer, known, settings } = context;
  await queueOwed(writer);
  const { conversations, notices } = writer.state();
  const isPaused = (id: string): boolean => conversations[id]?.isPaused === true;
  const isBusy = ({ run, conversation }: Notice): boolean =>
    run !== null && !known.waiting.has(run) && !isPaused(conversation);
  let busy = Object.values(notices).filter(isBusy).length;
  for (const next of firstOfEach(writer.state())) {
    if (next.run !== null) await follow(context, next, isPaused(next.conversation));
    else if (busy < settings.at_once && mayBegin(context, next)) {
      busy += 1;
      await start(context, next);
    }
  }
}

function mayBegin({ writer, isHalted, isTyping }: Context, { conversation, depth }: Notice): boolean {
  const isPaused = writer.state().conversations[conversation]?.isPaused !== false;
  return !isPaused && !isHalted() && !(depth > 0 && isTyping(conversation));
}

async function start(context: Context, notice: Notice): Promise<void> {
  const run = replyRun(notice.notice);
  noteChecked(context, run);
  try {
    if (!(await startReply(context, notice))) context.known.checked.delete(run);
  } catch (error) {
    context.known.checked.delete(run);
    if (!(error instanceof OkaError)) throw error;
    await postReply(context, notice, failedEnd(messageOf(error)), null);
  }
}

/** What a run of a notice needs: to be begun, paused, resumed or settled. */
async function follow(context: Context, notice: Notice, isPaused: boolean): Promise<void> {
  const { known, runs, backend, isHalted } = context;
  const run = replyRun(notice.notice);
  if (isPaused) {
    if (!known.paused.has(run)) signal(context, run, PAUSED);
    return void known.paused.add(run);
  }
  if (known.checked.has(run) && !known.paused.has(run)) return checkProgress(context, run);
  if (isHalted()) return;
  const state = await runs.stateOf(run);
  noteChecked(context, run);
  known.paused.delete(run);
  if (state === null) await start(context, notice);
  else if (isOver(state.status)) await settle(context, state);
  else if (state.status === 'paused') await backend.start({ kind: 'resume', run, reason: 'the conversation goes on' });
}

function noteChecked({ known, clock }: Context, run: string): void {
  known.checked.add(run);
  known.progress.set(run, clock());
}

function checkProgress(context: Context, run: string): void {
  const { known, clock, settings, runs, isHalted } = context;
  const most = settings.idle_seconds;
  if (clock() - (known.progress.get(run) ?? 0) < most * 1000 || isHalted()) return;
  known.progress.set(run, clock());
  void runs.stateOf(run).then((state) => {
    if (state?.status === 'running') signal(context, run, { kind: 'cancel', reason: `${IDLE} for ${most} seconds` });
  });
}

async function settle(context: Context, run: RunState): Promise<void> {
  const { writer, known } = context;
  if (!isOver(run.status)) {
    if (run.status === 'blocked') known.waiting.add(run.id);
    return;
  }
  const notice = writer.state().notices[noticeOfRun(run.id) ?? ''];
  if (notice !== undefined) await postReply(context, notice, replyEnd(run), run.id);
  for (const each of Object.values(known)) each.delete(run.id);
}

/** A process that ended may have taken the notice and begun no run. */
async function stop(context: Context, notice: Notice, reason: string): Promise<void> {
  try {
    await context.backend.signal(replyRun(notice.notice), { kind: 'cancel', reason });
  } catch (error) {
    if (!isTooLate(error)) throw error;
    if (error.code === 'no-such-run') await postReply(context, notice, { ...STOPPED_END, cost: NO_COST }, null);
  }
}

function signal({ backend, known }: Context, run: string, request: RunSignal): void {
  backend.signal(run, request).catch((error: unknown) => {
    if (!isTooLate(error)) known.checked.delete(run);
  });
}

/** The notice of each conversation that is next (N2). */
function firstOfEach({ notices }: ChatState): Notice[] {
  const first = new Map<string, Notice>();
  for (const notice of Object.values(notices))
    if (!first.has(notice.conversation)) first.set(notice.conversation, { ...notice });
  return [...first.values()];
}

const isTooLate = (error: unknown): error is OkaError =>
  error instanceof OkaError && ['run-is-over', 'no-such-run'].includes(error.code);

/** Notices that a power cut has torn off their message (S2 in chat-state.ts). */
async function queueOwed(writer: ChatWriter): Promise<void> {
  if (Object.keys(writer.state().owed).length === 0) return;
  await writer.write(({ owed }) =>
    Object.entries(owed).flatMap(([message, { agents, ...rest }]) => noticeEvents({ message, ...rest }, agents, false)),
  );
}
