/** Owns: what happens when a task changes right after it was taken: it is taken again instead, or set aside. */
import { join } from 'node:path';
import { type Claimed, idOfFinished, RefusedClaim } from './claim-task.ts';
import { statsOf } from './delivery.ts';
import { claimedFolder, move } from './inbox-folders.ts';
import type { InboxSettings } from './inbox-options.ts';
import { RecentClaims } from './recent-claims.ts';
import { type Rejecting, rejectEntry } from './reject-task.ts';
import type { ClaimSweep } from './sweep-claims.ts';

export class TaskRevisions {
  readonly #settings: InboxSettings;
  readonly #rejecting: Rejecting;
  readonly #sweep: ClaimSweep;
  readonly #recent: RecentClaims;
  readonly #withdraw: InboxSettings['withdraw'];
  #isRestored = false;

  constructor(settings: InboxSettings, rejecting: Rejecting, sweep: ClaimSweep, withdraw: InboxSettings['withdraw']) {
    this.#settings = settings;
    this.#rejecting = rejecting;
    this.#sweep = sweep;
    this.#withdraw = withdraw;
    this.#recent = new RecentClaims(settings.inbox, settings);
  }

  /** A revision of a recent task takes its place, or is refused if that one has already changed something. */
  async settle(claimed: Claimed): Promise<Claimed> {
    const { clock, inbox } = this.#settings;
    const recent = this.#recent.revisedBy(claimed, clock());
    if (recent === null) return claimed;
    const seconds = Math.max(1, Math.round((clock() - recent.at) / 1000));
    if (await this.#withdraw(recent.id)) {
      const note = `it replaces ${recent.id}: its file was changed ${seconds} s after it was taken, before that run had changed anything`;
      return { ...claimed, notes: [...claimed.notes, note] };
    }
    throw new RefusedClaim(
      `${claimed.name} was taken ${seconds} s ago as ${recent.id}, which has already changed something. This later version was not started, so that nothing is done twice; to have it done as well, give it another name, or move it back after a minute.`,
      join(claimedFolder(inbox), claimed.id, claimed.name),
    );
  }

  add(claimed: Claimed): void {
    this.#recent.add(claimed, this.#settings.clock());
  }

  forget(claimed: Claimed): void {
    this.#recent.forget(claimed);
  }

  /** Remembers the tasks that an earlier process took a moment ago, whose files are in these folders. */
  restore(finished: readonly string[]): void {
    const { recent, clock } = this.#settings;
    if (this.#isRestored || recent.length === 0) return;
    this.#isRestored = true;
    const folders = new Map(finished.map((name) => [idOfFinished(name), name]));
    for (const task of recent) {
      const folder = folders.get(task.id);
      if (folder !== undefined) this.#recent.restore(task, folder, clock());
    }
  }

  /** Retains the files of a finished claim while it is recent. */
  retain(id: string, folder: string): void {
    if (!this.#recent.retain(id, folder)) this.#sweep.add([folder]);
  }

  withoutRetained(folders: readonly string[]): string[] {
    const retained = this.#recent.folders();
    return folders.filter((folder) => !retained.has(folder));
  }

  /** Moves taken files that somebody still writes to back into the inbox, and removes those that have not changed. */
  async moveBackChanged(): Promise<void> {
    const { inbox, rename, clock } = this.#settings;
    for (const { recent, path, folder } of this.#recent.changed()) {
      const target = join(inbox, recent.name);
      if (statsOf(target) === null) move(path, target, rename);
      else await rejectEntry(this.#rejecting, path, recent.name, twoVersions(recent.id));
      this.#recent.movedBack(recent);
      this.#sweep.add([folder]);
    }
    this.#sweep.add(this.#recent.expired(clock()));
  }
}

const twoVersions = (id: string): string =>
  `it was changed after it was taken as ${id}, and another file of this name has been dropped since`;
