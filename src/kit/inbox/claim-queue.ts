/**
 * Owns: which entry is claimed next, and what happens to a claim until it is finished: it is put back, recovered after a
 * failure, or refused.
 *
 * Q1 Claims that a crash or a failure interrupted go first, then ready entries by priority, arrival and name. Those that are
 *    held up let the others pass: one of them is tried every moment, and at once after another task was accepted.
 * Q2 Nothing that was moved out of the inbox is forgotten: after a failure, the claims are read from disk again.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { messageOf } from '../../core/schema/errors.ts';
import {
  type Claimed,
  type Claims,
  claim,
  finishClaim,
  flushClaim,
  leftClaims,
  nameOfClaim,
  RefusedClaim,
  reclaim,
} from './claim-task.ts';
import type { Observed } from './delivery.ts';
import type { InboxSettings } from './inbox-options.ts';
import { Vanished } from './plain-file.ts';
import { type Rejecting, rejectEntry } from './reject-task.ts';
import type { ProblemReports } from '../requests/report-once.ts';
import { TaskRevisions } from './task-revisions.ts';
import { ClaimSweep } from './sweep-claims.ts';

/** The longest time that many small operations block the process. */
const SLICE_MS = 10;
/** Between two attempts to accept claims that are held up. */
const HELD_UP_MS = 500;

export class ClaimQueue {
  readonly #settings: InboxSettings;
  readonly #claims: Claims;
  readonly #rejecting: Rejecting;
  readonly #problems: ProblemReports;
  readonly #sweep: ClaimSweep;
  readonly #revisions: TaskRevisions;
  /** Ready entries, the next one last. */
  #ready: Observed[] = [];
  /** Claims that a crash interrupted, the next one last. */
  #interrupted: string[] = [];
  /** Claims that cannot be accepted for now, the next one first. */
  #heldUp: string[] = [];
  #heldUpUntil = 0;
  /** Claims that were returned by `take` and are neither finished nor put back. */
  readonly #inProgress = new Set<string>();
  /** A claim failed halfway, and what it left is not in the queue. */
  #mayHaveStranded = false;
  #closed = false;

  constructor(settings: InboxSettings, rejecting: Rejecting, problems: ProblemReports) {
    const { inbox, rename, isKnown, hasResult, home, on } = settings;
    this.#settings = settings;
    this.#claims = { inbox, rename, limits: settings, ledger: { isKnown, hasResult }, home, given: new Map() };
    this.#rejecting = rejecting;
    this.#problems = problems;
    this.#sweep = new ClaimSweep(inbox, (text) => on.problem(text));
    this.#revisions = new TaskRevisions(settings, rejecting, this.#sweep, (id) => this.#withdraw(id));
  }

  /** Claims the next entry; `onTaken` is called with each ready one before. Null if there is none. */
  async take(onTaken: (entry: Observed) => void): Promise<Claimed | null> {
    for (let until = performance.now() + SLICE_MS; !this.#closed; ) {
      if (performance.now() > until) {
        await breathe();
        until = performance.now() + SLICE_MS;
      }
      const left = this.#interrupted.pop() ?? this.#nextHeldUp();
      const ready = left === undefined ? this.#ready.pop() : undefined;
      if (left === undefined && ready === undefined) return null;
      if (ready !== undefined) onTaken(ready);
      const claimed = await this.#tryClaim(async () => {
        if (left !== undefined) return this.#isOver(left) ? null : reclaim(this.#claims, left);
        return ready === undefined ? null : this.#claimReady(ready);
      });
      if (claimed !== null) return claimed;
    }
    return null;
  }

  finish({ id }: Pick<Claimed, 'id'>): void {
    const folder = finishClaim(this.#settings.inbox, { id });
    this.#inProgress.delete(id);
    this.#heldUpUntil = 0;
    if (folder !== null) this.#revisions.retain(id, folder);
  }

  putBack({ id }: Pick<Claimed, 'id'>): void {
    this.#inProgress.delete(id);
    this.#interrupted.push(id);
  }

  holdUp({ id }: Pick<Claimed, 'id'>): void {
    this.#inProgress.delete(id);
    this.#heldUp.push(id);
    this.#heldUpUntil = performance.now() + HELD_UP_MS;
  }

  async refuse(claimed: Claimed, { at, message }: RefusedClaim): Promise<void> {
    const problem = await rejectEntry(this.#rejecting, at, claimed.name, message);
    this.#inProgress.delete(claimed.id);
    this.#revisions.forget(claimed);
    if (problem !== null) this.#mayHaveStranded = true;
    this.#problems.claimFailed(problem);
  }

  get interrupted(): number {
    return this.#interrupted.length + this.#heldUp.length;
  }

  /** Replaces the ready entries after a scan. */
  setReady(entries: Iterable<Observed>): void {
    this.#ready = [...entries].filter(({ state }) => state.kind === 'ready').toSorted(byReversedOrder);
  }

  clear(): void {
    this.#ready = [];
    this.#interrupted = [];
    this.#heldUp = [];
  }

  /** Before each scan: finds what failed claims have left, and what has changed since it was taken. */
  async recheck(): Promise<void> {
    if (this.#mayHaveStranded) this.recover();
    await this.#revisions.moveBackChanged();
  }

  /** Queues every claim that nobody works on; what is left of finished ones is removed in the background. */
  recover(): void {
    const { unfinished, finished } = leftClaims(this.#settings.inbox);
    this.#mayHaveStranded = false;
    this.#heldUp = [];
    this.#revisions.restore(finished);
    this.#interrupted = unfinished.filter((name) => !this.#inProgress.has(name)).toReversed();
    this.#sweep.add(this.#revisions.withoutRetained(finished));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#sweep.close();
  }

  #nextHeldUp(): string | undefined {
    return performance.now() < this.#heldUpUntil ? undefined : this.#heldUp.shift();
  }

  async #claimReady(ready: Observed): Promise<Claimed> {
    const claimed = claim(this.#claims, ready);
    this.#inProgress.add(claimed.id); // a scan may run while the task it revises is withdrawn
    try {
      await flushClaim(this.#claims, claimed, ready.entry);
      return await this.#revisions.settle(claimed);
    } catch (error) {
      this.#inProgress.delete(claimed.id);
      throw error;
    }
  }

  /** Null if the entry cannot be claimed. */
  async #tryClaim(act: () => Promise<Claimed | null>): Promise<Claimed | null> {
    try {
      const claimed = await act();
      this.#problems.claimSucceeded();
      if (claimed === null) return null;
      this.#revisions.add(claimed);
      this.#inProgress.add(claimed.id);
      return claimed;
    } catch (error) {
      if (error instanceof Vanished) return null;
      this.#mayHaveStranded = true;
      const isRefused = error instanceof RefusedClaim;
      this.#problems.claimFailed(
        isRefused ? await rejectEntry(this.#rejecting, error.at, nameOfClaim(error), error.message) : messageOf(error),
      );
      return null;
    }
  }

  /** A claim that was put back is not in the ledger, so that nobody else has to withdraw it. */
  async #withdraw(id: string): Promise<boolean> {
    if (![...this.#interrupted, ...this.#heldUp].includes(id)) return this.#settings.withdraw(id);
    this.#interrupted = this.#interrupted.filter((each) => each !== id);
    this.#heldUp = this.#heldUp.filter((each) => each !== id);
    this.#sweep.add([id]);
    return true;
  }

  /** A claim whose task has its result is left to the sweep, so that thousands of them do not delay the next task. */
  #isOver(left: string): boolean {
    const isOver = this.#claims.ledger.hasResult(left);
    if (isOver) this.#sweep.add([left]);
    return isOver;
  }
}

function byReversedOrder(a: Observed, b: Observed): number {
  const [left, right] = [a.state, b.state];
  if (left.kind !== 'ready' || right.kind !== 'ready') return 0;
  return left.priority - right.priority || right.arrival - left.arrival || (a.name < b.name ? 1 : -1);
}
