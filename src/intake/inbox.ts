/**
 * Owns: workspace/inbox as a queue of tasks.
 * Does not own: what counts as delivered (deliver.ts), taking and recovering (claim.ts), when to look (watch.ts, next-look.ts),
 * the ledger.
 *
 * I1 The look through the folder is the truth; what the watcher says only brings the next look forward.
 * I2 Tasks are claimed when asked for, in order: those left behind by a crash, then by priority, arrival and name.
 * I3 None is lost and none handed out twice: a claim that the ledger does not know is handed out again after a crash.
 * I4 What is not a task is moved aside with the reason, and the next one goes on.
 * I5 A folder that is gone, replaced or remounted is noticed at the next look, and watched anew.
 */
import { renameSync } from 'node:fs';
import { messageOf } from '../schema/errors.ts';
import type { Clock } from '../schema/ports.ts';
import {
  type Claimed,
  type Claims,
  claim,
  finishClaim,
  leftBehind,
  nameOfClaim,
  RefusedClaim,
  reclaim,
} from './claim.ts';
import type { Sight } from './deliver.ts';
import { NextLook } from './next-look.ts';
import { Vanished } from './plain-file.ts';
import { newFolder, ownFolder, type Rename } from './places.ts';
import { type Rejected, reject } from './reject.ts';
import { scan } from './scan.ts';
import { WatchedFolder } from './watch.ts';

export type InboxOptions = {
  inbox: string;
  /** How long something must stay unchanged to count. */
  settleMs?: number;
  /** How long something unfinished is waited for. */
  patienceMs?: number;
  rescanMs?: number;
  /** Of a task's text. */
  mostBytes?: number;
  /** Of a task folder. */
  mostFolderBytes?: number;
  mostFiles?: number;
  clock?: Clock;
  /** Whether the ledger has a task of this id. */
  isKnown: (id: string) => boolean;
  on: {
    rejected(rejected: Rejected): Promise<void>;
    /** Something a person should know about; the inbox goes on. Told once, until it is over. */
    trouble(text: string): void;
  };
  rename?: Rename;
};

export type Inbox = {
  /** The next task in order, claimed; waits until there is one. Null once closed or aborted. */
  next(signal?: AbortSignal): Promise<Claimed | null>;
  /** The same without waiting: null when none is ready. */
  take(): Promise<Claimed | null>;
  /** Says that the task is in the ledger and its files are laid out. */
  finish(claimed: Pick<Claimed, 'id'>): void;
  /** Says that it could not be brought into the ledger for now: it is handed out again, as the next one. */
  putBack(claimed: Pick<Claimed, 'id'>): void;
  rescan(): Promise<void>;
  /** What lies there and may be a task, ready or not. */
  pending(): number;
  close(): Promise<void>;
};

export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const inbox = new OpenInbox(options);
  await inbox.rescan();
  return inbox;
}

class OpenInbox implements Inbox {
  readonly #options: Required<Omit<InboxOptions, 'on' | 'isKnown'>> & Pick<InboxOptions, 'on'>;
  readonly #claims: Claims;
  readonly #rejectedNames = new Map<string, number>();
  readonly #nextLook = new NextLook(() => void this.rescan());
  readonly #folder: WatchedFolder;
  #sights: Map<string, Sight> = new Map();
  /** Ready ones, the next one last. */
  #queue: Sight[] = [];
  /** Claims of before the crash, the next one last. */
  #left: string[] = [];
  #scans: Promise<void> = Promise.resolve();
  #told = new Set<string>();
  /** Troubles with taking, until something is taken again. */
  #untaken = new Set<string>();
  #looked = Promise.withResolvers<void>();
  #looks = 0;
  #closed = false;

  constructor({ isKnown, ...options }: InboxOptions) {
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
    this.#claims = { inbox, rename, limits: this.#options, ledger: { isKnown }, given: new Map() };
    this.#folder = new WatchedFolder(inbox, {
      hint: () => this.#nextLook.soon(),
      trouble: (text) => on.trouble(`the inbox is looked at from time to time only: ${text}`),
    });
  }

  async next(signal?: AbortSignal): Promise<Claimed | null> {
    const aborted = Promise.withResolvers<void>();
    const stop = (): void => aborted.resolve();
    const isOver = (): boolean => this.#closed || signal?.aborted === true;
    signal?.addEventListener('abort', stop);
    try {
      while (!isOver()) {
        const looks = this.#looks;
        const claimed = await this.take();
        if (claimed !== null) return claimed;
        if (looks === this.#looks) await Promise.race([this.#looked.promise, aborted.promise]);
      }
      return null;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async take(): Promise<Claimed | null> {
    while (!this.#closed) {
      const left = this.#left.pop();
      const sight = left === undefined ? this.#queue.pop() : undefined;
      if (left === undefined && sight === undefined) return null;
      if (sight !== undefined) this.#sights.delete(sight.entry.path.toString('latin1'));
      const claimed = await this.#tried(() => {
        if (left !== undefined) return reclaim(this.#claims, left);
        return sight === undefined ? null : claim(this.#claims, sight);
      });
      if (claimed !== null) return claimed;
    }
    return null;
  }

  finish(claimed: Pick<Claimed, 'id'>): void {
    finishClaim(this.#options.inbox, claimed);
  }

  putBack({ id }: Pick<Claimed, 'id'>): void {
    this.#left.push(id);
    this.#wake();
  }

  pending(): number {
    return this.#sights.size + this.#left.length;
  }

  rescan(): Promise<void> {
    this.#scans = this.#scans.then(() => this.#look());
    return this.#scans;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#nextLook.end();
    this.#looked.resolve();
    await this.#scans;
    await this.#folder.close();
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const begun = performance.now();
    try {
      if (this.#isThere()) await this.#lookThrough();
    } catch (error) {
      this.#tell([`the inbox cannot be read: ${messageOf(error)}`]);
    }
    const took = performance.now() - begun;
    this.#wake();
    this.#nextLook.after(took, this.#sights.values(), this.#options);
  }

  /** Whoever waits for a task looks again. */
  #wake(): void {
    this.#looks++;
    this.#looked.resolve();
    this.#looked = Promise.withResolvers();
  }

  async #lookThrough(): Promise<void> {
    const { sights, troubles } = await scan(this.#options.inbox, this.#sights, this.#options.clock(), this.#options);
    for (const [key, { entry, name, state }] of sights) {
      if (state.kind !== 'refused') continue;
      const problem = await this.#rejected(entry.path, name, state.reason);
      if (problem === null) sights.delete(key);
      else troubles.push(problem);
    }
    this.#sights = sights;
    this.#queue = [...sights.values()].filter(({ state }) => state.kind === 'ready').toSorted(lastFirst);
    this.#tell(troubles);
  }

  /** Null when there was nothing to hand out after all. */
  async #tried(act: () => Claimed | null): Promise<Claimed | null> {
    try {
      const claimed = act();
      this.#untaken = new Set();
      return claimed;
    } catch (error) {
      if (error instanceof Vanished) return null;
      const problem =
        error instanceof RefusedClaim
          ? await this.#rejected(error.at, nameOfClaim(error), error.message)
          : messageOf(error);
      if (problem !== null && !this.#untaken.has(problem)) this.#options.on.trouble(problem);
      if (problem !== null) this.#untaken.add(problem);
      return null;
    }
  }

  /** Returns what kept it from being moved aside. */
  async #rejected(path: Buffer | string, name: string, reason: string): Promise<string | null> {
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

  /** Whether the folder can be looked through; begins to watch it when it is another one than before. */
  #isThere(): boolean {
    const { inbox, on } = this.#options;
    const found = this.#folder.look();
    if (found.kind === 'same') return true;
    this.#sights = new Map();
    this.#queue = [];
    this.#left = [];
    if (found.kind === 'gone') {
      this.#tell([`${inbox} is not there; tasks are taken again when it is back`]);
      return false;
    }
    if (found.replaced) on.trouble(`${inbox} was replaced; the new folder is watched now`);
    ownFolder(newFolder(inbox));
    this.#left = leftBehind(inbox).toReversed();
    this.#folder.watch(found.identity);
    return true;
  }

  /** What was told and is the case no more is forgotten, so that it can be told again. */
  #tell(troubles: string[]): void {
    for (const text of troubles) if (!this.#told.has(text)) this.#options.on.trouble(text);
    this.#told = new Set(troubles);
  }
}

function lastFirst(a: Sight, b: Sight): number {
  const [left, right] = [a.state, b.state];
  if (left.kind !== 'ready' || right.kind !== 'ready') return 0;
  return left.priority - right.priority || right.arrival - left.arrival || (a.name < b.name ? 1 : -1);
}
