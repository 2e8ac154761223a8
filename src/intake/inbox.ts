/**
 * Owns: workspace/inbox as a queue of tasks.
 * Does not own: what counts as delivered (delivery.ts), claiming and recovering (claim-task.ts), when to scan
 * (watch-inbox.ts, scan-timer.ts), the ledger.
 *
 * I1 Scanning the folder is authoritative; the watcher only makes the next scan happen earlier.
 * I2 Tasks are claimed on request, in order: those interrupted by a crash first, then by priority, arrival and name.
 * I3 No task is lost and none is returned twice: after a crash, a claim that is not in the ledger is returned again.
 * I4 What is not a task is moved aside with the reason, and the next entry is processed.
 * I5 An inbox that was removed, replaced or remounted is noticed by the next scan, and watched again.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { messageOf } from '../schema/errors.ts';
import type { Clock } from '../schema/ports.ts';
import {
  type Claimed,
  type Claims,
  claim,
  finishClaim,
  leftClaims,
  nameOfClaim,
  RefusedClaim,
  reclaim,
  removeFinished,
} from './claim-task.ts';
import { type Observed, statsOf } from './delivery.ts';
import { ScanTimer } from './scan-timer.ts';
import { Vanished } from './plain-file.ts';
import { newFolder, ownFolder, type Rename, showOldRejected } from './inbox-folders.ts';
import { type Rejected, reject } from './reject-task.ts';
import { scan } from './scan-inbox.ts';
import { WatchedFolder } from './watch-inbox.ts';

export type InboxOptions = {
  inbox: string;
  /** How long an entry must stay unchanged to count as delivered. */
  settleMs?: number;
  /** How long to wait for an entry that is not finished. */
  patienceMs?: number;
  rescanMs?: number;
  /** Largest text of a task. */
  mostBytes?: number;
  /** Largest task folder. */
  mostFolderBytes?: number;
  mostFiles?: number;
  clock?: Clock;
  /** Whether the ledger has a task with this id. */
  isKnown: (id: string) => boolean;
  /** Whether the task with this id has ended and its result is written; its claim needs no further work. */
  hasResult?: (id: string) => boolean;
  on: {
    rejected(rejected: Rejected): Promise<void>;
    /** A problem that a person should know about; the inbox continues. Reported once until it is solved. */
    problem(text: string): void;
  };
  rename?: Rename;
};

export type Inbox = {
  /** Claims the next task in order; waits until there is one. Null once closed or aborted. */
  next(signal?: AbortSignal): Promise<Claimed | null>;
  /** The same without waiting: null if none is ready. */
  take(): Promise<Claimed | null>;
  /** Call it when the task is in the ledger and its files are in place. */
  finish(claimed: Pick<Claimed, 'id'>): void;
  /** Returns a claim that could not be recorded in the ledger for now: it will be the next one. */
  putBack(claimed: Pick<Claimed, 'id'>): void;
  rescan(): Promise<void>;
  /** The number of entries that may be tasks, ready or not. */
  pending(): number;
  close(): Promise<void>;
};

const MOST_NAMES = 10_000;
/** The longest time that many small operations block the process. */
const SLICE_MS = 10;

export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const inbox = new OpenInbox(options);
  await inbox.rescan();
  return inbox;
}

class OpenInbox implements Inbox {
  readonly #options: Required<Omit<InboxOptions, 'on' | 'isKnown' | 'hasResult'>> & Pick<InboxOptions, 'on'>;
  readonly #claims: Claims;
  /** Names of tasks that were claimed, by which conflict copies are recognised. */
  readonly #takenNames = new Set<string>();
  readonly #rejectedNames = new Map<string, number>();
  readonly #scanTimer = new ScanTimer(() => void this.rescan());
  readonly #folder: WatchedFolder;
  #observed: Map<string, Observed> = new Map();
  /** Ready entries, the next one last. */
  #queue: Observed[] = [];
  /** Claims that a crash interrupted, the next one last. */
  #interrupted: string[] = [];
  /** Claims that were returned by `take` and are neither finished nor put back. */
  readonly #inProgress = new Set<string>();
  /** A claim failed halfway: the next scan looks for what it left. */
  #mayHaveStranded = false;
  /** Claims to be removed in the background. */
  #leftovers: string[] = [];
  #isSweeping = false;
  #sweep: Promise<void> = Promise.resolve();
  #scans: Promise<void> = Promise.resolve();
  #reported = new Set<string>();
  /** Reported problems with claiming, until a claim succeeds. */
  #claimProblems = new Set<string>();
  #scanned = Promise.withResolvers<void>();
  #scanCount = 0;
  #closed = false;

  constructor({ isKnown, hasResult = () => false, ...options }: InboxOptions) {
    this.#options = {
      settleMs: 2000,
      patienceMs: 60_000,
      rescanMs: 15_000,
      mostBytes: 1024 * 1024,
      mostFolderBytes: 64 * 1024 * 1024,
      mostFiles: 1000,
      clock: Date.now,
      rename: renameSync,
      ...options,
    };
    const { inbox, rename, on } = this.#options;
    this.#claims = { inbox, rename, limits: this.#options, ledger: { isKnown, hasResult }, given: new Map() };
    this.#folder = new WatchedFolder(inbox, {
      hint: () => this.#scanTimer.soon(),
      problem: (text) => on.problem(`the inbox cannot be watched, so it is only polled: ${text}`),
    });
  }

  async next(signal?: AbortSignal): Promise<Claimed | null> {
    const aborted = Promise.withResolvers<void>();
    const stop = (): void => aborted.resolve();
    const isOver = (): boolean => this.#closed || signal?.aborted === true;
    signal?.addEventListener('abort', stop);
    try {
      while (!isOver()) {
        const scans = this.#scanCount;
        const claimed = await this.take();
        if (claimed !== null) return claimed;
        if (scans === this.#scanCount) await Promise.race([this.#scanned.promise, aborted.promise]);
      }
      return null;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async take(): Promise<Claimed | null> {
    for (let until = performance.now() + SLICE_MS; !this.#closed; ) {
      if (performance.now() > until) {
        await breathe();
        until = performance.now() + SLICE_MS;
      }
      const left = this.#interrupted.pop();
      const ready = left === undefined ? this.#queue.pop() : undefined;
      if (left === undefined && ready === undefined) return null;
      if (ready !== undefined) this.#observed.delete(ready.entry.path.toString('latin1'));
      const claimed = await this.#tryClaim(() => {
        if (left !== undefined) return this.#isOver(left) ? null : reclaim(this.#claims, left);
        return ready === undefined ? null : claim(this.#claims, ready);
      });
      if (claimed !== null) return claimed;
    }
    return null;
  }

  finish(claimed: Pick<Claimed, 'id'>): void {
    finishClaim(this.#options.inbox, claimed);
    this.#inProgress.delete(claimed.id);
  }

  putBack({ id }: Pick<Claimed, 'id'>): void {
    this.#inProgress.delete(id);
    this.#interrupted.push(id);
    this.#wake();
  }

  pending(): number {
    return this.#observed.size + this.#interrupted.length;
  }

  rescan(): Promise<void> {
    this.#scans = this.#scans.then(() => this.#runScan());
    return this.#scans;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#scanTimer.end();
    this.#scanned.resolve();
    await this.#scans;
    await this.#sweep;
    await this.#folder.close();
  }

  async #runScan(): Promise<void> {
    if (this.#closed) return;
    const started = performance.now();
    try {
      if (this.#isThere()) {
        if (this.#mayHaveStranded) this.#recoverClaims();
        await this.#scanFolder();
      }
    } catch (error) {
      this.#report([`the inbox cannot be read: ${messageOf(error)}`]);
    }
    const took = performance.now() - started;
    this.#wake();
    this.#scanTimer.after(took, this.#observed.values(), this.#options);
  }

  /** Wakes those who wait for a task. */
  #wake(): void {
    this.#scanCount++;
    this.#scanned.resolve();
    this.#scanned = Promise.withResolvers();
  }

  async #scanFolder(): Promise<void> {
    const { observed, problems } = await scan(this.#options.inbox, this.#observed, this.#options.clock(), {
      ...this.#options,
      hasSeenName: (name) => this.#hasSeenName(name),
    });
    for (const [key, { entry, name, state }] of observed) {
      if (state.kind === 'unreadable')
        problems.push(`${name}: ${state.reason}; it stays in the inbox and is tried again`);
      if (state.kind !== 'refused') continue;
      const problem = await this.#reject(entry.path, name, state.reason);
      if (problem === null) observed.delete(key);
      else problems.push(problem);
    }
    this.#observed = observed;
    this.#queue = [...observed.values()].filter(({ state }) => state.kind === 'ready').toSorted(byReversedOrder);
    this.#report(problems);
  }

  #hasSeenName(name: string): boolean {
    return this.#takenNames.has(name) || statsOf(join(this.#options.inbox, name)) !== null;
  }

  #rememberName(name: string): void {
    if (this.#takenNames.size >= MOST_NAMES) this.#takenNames.clear();
    this.#takenNames.add(name);
  }

  /** Null if the entry cannot be claimed. */
  async #tryClaim(act: () => Claimed | null): Promise<Claimed | null> {
    try {
      const claimed = act();
      this.#claimProblems = new Set();
      if (claimed !== null) this.#rememberName(claimed.name);
      if (claimed !== null) this.#inProgress.add(claimed.id);
      return claimed;
    } catch (error) {
      if (error instanceof Vanished) return null;
      this.#mayHaveStranded = true;
      const problem =
        error instanceof RefusedClaim
          ? await this.#reject(error.at, nameOfClaim(error), error.message)
          : messageOf(error);
      if (problem !== null && !this.#claimProblems.has(problem)) this.#options.on.problem(problem);
      if (problem !== null) this.#claimProblems.add(problem);
      return null;
    }
  }

  /** Moves an entry aside; returns the problem if that fails. */
  async #reject(path: Buffer | string, name: string, reason: string): Promise<string | null> {
    const { inbox, rename, on } = this.#options;
    let rejected: Rejected;
    try {
      rejected = reject({ inbox, rename, names: this.#rejectedNames }, path, name, reason);
    } catch (error) {
      return error instanceof Vanished ? null : `${name} is not a task and cannot be moved aside: ${messageOf(error)}`;
    }
    try {
      await on.rejected(rejected);
      return null;
    } catch (error) {
      return `${name} was moved aside, but that could not be recorded: ${messageOf(error)}`;
    }
  }

  /** Whether the folder can be scanned; starts to watch it if it is not the one from before. */
  #isThere(): boolean {
    const { inbox, on } = this.#options;
    const found = this.#folder.check();
    if (found.kind === 'same') return true;
    this.#observed = new Map();
    this.#queue = [];
    this.#interrupted = [];
    if (found.kind === 'gone') {
      this.#report([`${inbox} does not exist; tasks are accepted again when it is back`]);
      return false;
    }
    if (found.replaced) on.problem(`${inbox} was replaced; the new folder is watched now`);
    ownFolder(newFolder(inbox));
    showOldRejected(inbox);
    this.#recoverClaims();
    this.#folder.watch(found.identity);
    return true;
  }

  /** Queues every claim that nobody works on; what is left of finished ones is removed in the background. */
  #recoverClaims(): void {
    const { unfinished, finished } = leftClaims(this.#options.inbox);
    this.#mayHaveStranded = false;
    this.#interrupted = unfinished.filter((name) => !this.#inProgress.has(name)).toReversed();
    this.#sweepLater(finished);
  }

  /** A claim whose task has its result is left to the sweep, so that thousands of them do not delay the next task. */
  #isOver(left: string): boolean {
    const isOver = this.#claims.ledger.hasResult(left);
    if (isOver) this.#sweepLater([left]);
    return isOver;
  }

  #sweepLater(names: readonly string[]): void {
    for (const name of names) this.#leftovers.push(name);
    if (this.#isSweeping || this.#leftovers.length === 0) return;
    this.#isSweeping = true;
    this.#sweep = this.#removeLeftovers();
  }

  async #removeLeftovers(): Promise<void> {
    while (this.#leftovers.length > 0 && !this.#closed) {
      await breathe();
      for (const until = performance.now() + SLICE_MS; performance.now() < until; ) {
        const name = this.#leftovers.pop();
        if (name === undefined) break;
        this.#removeLeftover(name);
      }
    }
    this.#isSweeping = false;
  }

  #removeLeftover(name: string): void {
    try {
      removeFinished(this.#options.inbox, name);
    } catch (error) {
      this.#options.on.problem(`${name} of a finished task cannot be removed: ${messageOf(error)}`);
    }
  }

  /** Reports new problems. One that is solved is forgotten, so that it is reported if it comes back. */
  #report(problems: string[]): void {
    for (const text of problems) if (!this.#reported.has(text)) this.#options.on.problem(text);
    this.#reported = new Set(problems);
  }
}

function byReversedOrder(a: Observed, b: Observed): number {
  const [left, right] = [a.state, b.state];
  if (left.kind !== 'ready' || right.kind !== 'ready') return 0;
  return left.priority - right.priority || right.arrival - left.arrival || (a.name < b.name ? 1 : -1);
}
