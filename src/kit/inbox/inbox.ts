/**
 * Owns: workspace/inbox as a queue of tasks.
 * Does not own: what counts as delivered (delivery.ts), which entry is claimed next (claim-queue.ts), claiming and
 * recovering (claim-task.ts), tasks that change right after they were taken (task-revisions.ts), when to scan
 * (watch-inbox.ts, scan-timer.ts), the ledger.
 *
 * I1 Scanning the folder is authoritative; the watcher only makes the next scan happen earlier.
 * I2 Tasks are claimed on request, in order: those interrupted by a crash first, then by priority, arrival and name.
 * I3 No task is lost and none is returned twice: after a crash, a claim that is not in the ledger is returned again.
 * I4 What is not a task is moved aside with the reason, and the next entry is processed.
 * I5 An inbox that was removed, replaced or remounted is noticed by the next scan, and watched again.
 * I6 A task file and the files of its name next to it are one task (gather-pairs.ts).
 * I7 A task that changes within a minute after it was taken is taken again in place of the first, or set aside if that
 *    one has already changed something; it is not done twice.
 */
import { join } from 'node:path';
import { messageOf } from '../../core/schema/errors.ts';
import type { Claimed, RefusedClaim } from './claim-task.ts';
import { ClaimQueue } from './claim-queue.ts';
import { type Observed, statsOf } from './delivery.ts';
import { gatherPairs } from './gather-pairs.ts';
import { newFolder, ownFolder, showOldRejected } from './inbox-folders.ts';
import { type Inbox, type InboxOptions, type InboxSettings, withDefaults } from './inbox-options.ts';
import { type Rejecting, rejectEntry } from './reject-task.ts';
import { ProblemReports } from '../requests/report-once.ts';
import { scan } from './scan-inbox.ts';
import { ScanTimer } from './scan-timer.ts';
import { WatchedFolder } from './watch-inbox.ts';

const MOST_NAMES = 10_000;

export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const inbox = new OpenInbox(withDefaults(options));
  await inbox.rescan();
  return inbox;
}

class OpenInbox implements Inbox {
  readonly #settings: InboxSettings;
  readonly #rejecting: Rejecting;
  readonly #problems: ProblemReports;
  readonly #claims: ClaimQueue;
  readonly #folder: WatchedFolder;
  readonly #scanTimer = new ScanTimer(() => void this.rescan());
  /** Names of tasks that were claimed, by which conflict copies are recognised. */
  readonly #takenNames = new Set<string>();
  #observed: Map<string, Observed> = new Map();
  #scans: Promise<void> = Promise.resolve();
  #scanned = Promise.withResolvers<void>();
  #scanCount = 0;
  #closed = false;

  constructor(settings: InboxSettings) {
    const { inbox, rename, on } = settings;
    this.#settings = settings;
    this.#rejecting = { inbox, rename, on, names: new Map() };
    this.#problems = new ProblemReports((text) => on.problem(text));
    this.#claims = new ClaimQueue(settings, this.#rejecting, this.#problems);
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
    const claimed = await this.#claims.take(({ entry }) => this.#observed.delete(entry.path.toString('latin1')));
    if (claimed !== null) this.#rememberName(claimed.name);
    return claimed;
  }

  finish(claimed: Pick<Claimed, 'id'>): void {
    this.#claims.finish(claimed);
  }

  putBack(claimed: Pick<Claimed, 'id'>): void {
    this.#claims.putBack(claimed);
    this.#wake();
  }

  holdUp(claimed: Pick<Claimed, 'id'>): void {
    this.#claims.holdUp(claimed);
  }

  refuse(claimed: Claimed, why: RefusedClaim): Promise<void> {
    return this.#claims.refuse(claimed, why);
  }

  pending(): number {
    return this.#observed.size + this.#claims.interrupted;
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
    await this.#claims.close();
    await this.#folder.close();
  }

  async #runScan(): Promise<void> {
    if (this.#closed) return;
    const started = performance.now();
    try {
      if (this.#isThere()) {
        await this.#claims.recheck();
        await this.#scanFolder();
      }
    } catch (error) {
      this.#problems.scanned([`the inbox cannot be read: ${messageOf(error)}`]);
    }
    const took = performance.now() - started;
    this.#wake();
    this.#scanTimer.after(took, this.#observed.values(), this.#settings);
  }

  /** Wakes those who wait for a task. */
  #wake(): void {
    this.#scanCount++;
    this.#scanned.resolve();
    this.#scanned = Promise.withResolvers();
  }

  async #scanFolder(): Promise<void> {
    const { observed, problems } = await scan(this.#settings.inbox, this.#observed, this.#settings.clock(), {
      ...this.#settings,
      hasSeenName: (name) => this.#hasSeenName(name),
    });
    const gathered = await gatherPairs(observed, this.#settings.clock(), this.#settings);
    problems.push(...gathered.problems);
    if (gathered.isChanged) this.#scanTimer.soon();
    for (const [key, { entry, name, state }] of observed) {
      if (state.kind === 'open')
        problems.push(`${name} is open for writing in ${state.by}; it is taken when it is closed`);
      if (state.kind === 'unreadable')
        problems.push(`${name}: ${state.reason}; it stays in the inbox and is tried again`);
      if (state.kind !== 'refused') continue;
      const problem = await rejectEntry(this.#rejecting, entry.path, name, state.reason);
      if (problem === null) observed.delete(key);
      else problems.push(problem);
    }
    this.#observed = observed;
    this.#claims.setReady(observed.values());
    this.#problems.scanned(problems);
  }

  #hasSeenName(name: string): boolean {
    return this.#takenNames.has(name) || statsOf(join(this.#settings.inbox, name)) !== null;
  }

  #rememberName(name: string): void {
    if (this.#takenNames.size >= MOST_NAMES) this.#takenNames.clear();
    this.#takenNames.add(name);
  }

  /** Whether the folder can be scanned; starts to watch it if it is not the one from before. */
  #isThere(): boolean {
    const { inbox, on } = this.#settings;
    const found = this.#folder.check();
    if (found.kind === 'same') return true;
    this.#observed = new Map();
    this.#claims.clear();
    if (found.kind === 'gone') {
      this.#problems.scanned([`${inbox} does not exist; tasks are accepted again when it is back`]);
      return false;
    }
    if (found.replaced) on.problem(`${inbox} was replaced; the new folder is watched now`);
    ownFolder(newFolder(inbox));
    showOldRejected(inbox);
    this.#claims.recover();
    this.#folder.watch(found.identity);
    return true;
  }
}
