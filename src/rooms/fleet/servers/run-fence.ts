/**
 * Owns: the fence of one run: claiming it, and publishing its events as long as nobody else has claimed it.
 * Does not own: the stream (run-log.ts), what a run is, when a run is taken over (task-queue.ts).
 *
 * F1 A claim, and every message after it, is appended with the expected last sequence of the run's own subject. Of two
 *    workers that claim the same epoch one is refused; a worker whose run was claimed by another is refused, too.
 * F2 Events are acknowledged when the stream has acknowledged them, in order. After a refusal nothing is acknowledged
 *    any more: whoever waits gets an error.
 * F3 When the answer to an append was lost, the same message is appended again with the same expected sequence. If it is
 *    refused, it counts as appended only if it is itself the last message on the subject.
 * F4 No clock and no lease: a worker that was paused for an hour is refused as surely as one that was paused for a second.
 * F5 Nobody claims a run whose history is damaged: it is refilled first, from the ledger of whoever owned it last
 *    (refill-run.ts).
 * F6 It knows when the stream has last said that this claim is the last one, counted from the question: whatever stood
 *    still since then has to ask again before it lets anything out (confirmed-claims.ts). That is no lease: no clock
 *    gives a run to anybody.
 */
import { type Moment, momentNow, passedSince } from '../../../core/ledger/machine-time.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { FleetStream, RunMessage } from '../../../core/schema/fleet.ts';
import {
  foldHistory,
  isSameMessage,
  ownerIn,
  type RunHistory,
  type RunOwner,
  type StoredEvent,
  type StoredMessage,
} from './run-owner.ts';

/** `unknown`: there was no answer, so the message may be there or not. */
export type Appended = { kind: 'appended'; sequence: number } | { kind: 'refused' } | { kind: 'unknown' };

/** The subjects of runs. */
export type RunLog = {
  readonly stream: FleetStream;
  /** Appends a message if `last` is the last sequence on the subject of the run; 0: if there is none. */
  append(run: string, last: number, message: RunMessage): Promise<Appended>;
  last(run: string): Promise<StoredMessage | null>;
  read(run: string): Promise<StoredMessage[]>;
  /** The first message of a worker behind this sequence, of whichever run. */
  next(worker: string, sequence: number): Promise<StoredMessage | null>;
  /** Resolves when it makes sense to try again. */
  pause(): Promise<void>;
};

export type FenceOptions = {
  worker: string;
  process: string;
  /** The version of oka, which has to be able to continue the run. */
  version: string;
};

export type Claim = { fence: RunFence; history: RunHistory; sequence: number };

/**
 * Claims a run with the next epoch; null when another worker was faster. `known` is its history if it was just read: one
 * that is out of date is refused like any other claim that comes too late.
 */
export async function claimRun(
  log: RunLog,
  run: string,
  options: FenceOptions,
  known?: RunHistory,
): Promise<Claim | null> {
  const history = known ?? foldHistory(await log.read(run));
  if (history.damage !== null)
    throw new OkaError('fleet-refused', `the history of run ${run} in the stream is damaged: ${history.damage}`, {
      fix: `At ${history.owner?.worker ?? 'the member that owned it last'}: oka fleet backfill`,
    });
  return appendClaim(log, run, options, history, history.epoch + 1);
}

/** With an epoch that is higher than all of before. */
export async function appendClaim(
  log: RunLog,
  run: string,
  { worker, process, version }: FenceOptions,
  history: RunHistory,
  epoch: number,
  refill?: { events: number; from: number },
): Promise<Claim | null> {
  const asked = momentNow();
  const claim: RunMessage = { kind: 'claim', worker, process, epoch, stream: log.stream, version };
  const sequence = await appendOnce(log, run, history.last, refill === undefined ? claim : { ...claim, refill });
  if (sequence === null) return null;
  return { fence: new RunFence(log, run, { worker, process, epoch }, { sequence, asked }), history, sequence };
}

/** Of one message: servers refuse messages of more than a megabyte. */
const MOST_EVENTS = 50;

type Queued = { events: StoredEvent[]; desk: string | null };

export class RunFence {
  readonly run: string;
  readonly owner: RunOwner;
  readonly #log: RunLog;
  readonly #lost = Promise.withResolvers<void>();
  #last: number;
  #confirmed: Moment;
  #count = 0;
  #queue: Queued | null = null;
  #publishing: Promise<void> | null = null;
  #refusal: OkaError | null = null;
  #end: 'open' | 'wanted' | 'published' = 'open';

  constructor(log: RunLog, run: string, owner: RunOwner, { sequence, asked }: { sequence: number; asked: Moment }) {
    this.run = run;
    this.owner = owner;
    this.#log = log;
    this.#last = sequence;
    this.#confirmed = asked;
  }

  /** Resolves as soon as an append was refused, or the claim of another worker was seen. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /** Who owns the run after it was lost; null when that cannot be read. */
  async nextOwner(): Promise<RunOwner | null> {
    const last = await this.#log.last(this.run).catch(() => null);
    return last !== null && last.message.epoch > this.owner.epoch ? ownerIn(last.message) : null;
  }

  /** Whether an append was refused though nobody has claimed the run since: the stream has lost messages. */
  async isForgotten(): Promise<boolean> {
    // servers that do not answer have forgotten nothing
    const last = await this.#log.last(this.run).catch(() => undefined);
    return this.isLost && last !== undefined && (last?.message.epoch ?? 0) <= this.owner.epoch;
  }

  /** Learns of the claim of another worker also while nothing is published, such as when the run waits for a person. */
  async confirm(): Promise<void> {
    const asked = momentNow();
    const last = await this.#log.last(this.run);
    if (last !== null && last.message.epoch > this.owner.epoch) this.#refuse();
    else this.#confirmed = asked;
  }

  /** How long ago the stream was asked when it last said that the run belongs to this claim (F6). */
  unconfirmedMs(): number {
    return passedSince(this.#confirmed);
  }

  get isLost(): boolean {
    return this.#refusal !== null;
  }

  /** Queues events that are durable in this worker's own ledger; what is queued together is one message. */
  publish(events: readonly StoredEvent[], desk: string | null = null): void {
    if (events.length === 0 || this.#refusal !== null || this.#end === 'published') return;
    this.#queue ??= { events: [], desk: null };
    this.#queue.events.push(...events);
    this.#queue.desk = desk ?? this.#queue.desk;
    this.#publishing ??= this.#publishAll();
  }

  /** Resolves when everything that was queued is acknowledged (F2). */
  async acknowledged(): Promise<void> {
    await this.#publishing;
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** Says that nothing is left to do for this run; nothing is published after it. */
  async finish(): Promise<void> {
    if (this.#end === 'open') this.#end = 'wanted';
    this.#publishing ??= this.#publishAll();
    await this.acknowledged();
  }

  async #publishAll(): Promise<void> {
    for (let next = this.#queue; next !== null && this.#refusal === null; next = this.#queue) {
      this.#queue = next.events.length > MOST_EVENTS ? { ...next, events: next.events.slice(MOST_EVENTS) } : null;
      this.#count += 1;
      const events = next.events.slice(0, MOST_EVENTS);
      const message: RunMessage = { kind: 'events', ...this.owner, number: this.#count, events, desk: next.desk };
      await this.#append(message);
    }
    if (this.#end === 'wanted' && this.#refusal === null) {
      await this.#append({ kind: 'returned', ...this.owner });
      this.#end = 'published';
    }
    this.#publishing = null;
  }

  async #append(message: RunMessage): Promise<void> {
    const asked = momentNow();
    const sequence = await appendOnce(this.#log, this.run, this.#last, message);
    if (sequence === null) return this.#refuse();
    this.#last = sequence;
    this.#confirmed = asked;
  }

  #refuse(): void {
    const { run, owner } = this;
    this.#refusal = new OkaError(
      'run-fenced',
      `run ${run} belongs to another worker now; epoch ${owner.epoch} is over`,
    );
    this.#lost.resolve();
  }
}

/** The sequence of the message, however often it had to be tried (F3); null when it was refused. */
async function appendOnce(log: RunLog, run: string, last: number, message: RunMessage): Promise<number | null> {
  for (let isFirst = true; ; isFirst = false) {
    const answer = await log.append(run, last, message);
    if (answer.kind === 'appended') return answer.sequence;
    if (answer.kind === 'refused') return isFirst ? null : sequenceIfLast(log, run, message);
    await log.pause();
  }
}

async function sequenceIfLast(log: RunLog, run: string, message: RunMessage): Promise<number | null> {
  for (;;) {
    const found = await log.last(run).catch(() => undefined); // asked again until they answer
    if (found === undefined) await log.pause();
    else return found !== null && isSameMessage(found.message, message) ? found.sequence : null;
  }
}
