/**
 * Owns: the tasks that were taken a moment ago. Their files are retained for a minute, since whoever wrote one may not
 * have been finished: a writer may still have the file open, and an editor may save it again under its name.
 *
 * C1 Nothing that is written into a taken file is lost: a file that changes is moved back into the inbox.
 * C2 A file that is dropped under the name of a recent task and repeats its text is a revision of it, not another task.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Claimed } from './claim-task.ts';
import { type Limits, stampOfEntry, statsOf } from './delivery.ts';
import { claimedFolder } from './inbox-folders.ts';

export const RECENT_MS = 60_000;

type RecentClaim = {
  id: string;
  name: string;
  at: number;
  sha256: string;
  /** Where its files are retained; null before it is in the ledger, and when they are back in the inbox. */
  finished: Finished | null;
  isMovedBack: boolean;
};
/** A task that was taken from the inbox by an earlier process, as the ledger has it. */
export type RecentTask = Pick<RecentClaim, 'id' | 'name' | 'at' | 'sha256'>;
type Finished = { folder: string; stamp: string };

export class RecentClaims {
  readonly #inbox: string;
  readonly #limits: Limits;
  /** By name, the oldest first. */
  readonly #byName = new Map<string, RecentClaim>();
  /** By id: those whose files are retained. An earlier task of the same name is only here. */
  readonly #byId = new Map<string, RecentClaim>();

  constructor(inbox: string, limits: Limits) {
    this.#inbox = inbox;
    this.#limits = limits;
  }

  /** What was added by command is complete, and its name was made up. */
  add({ id, name, by, sha256 }: Pick<Claimed, 'id' | 'name' | 'by' | 'sha256'>, now: number): void {
    if (by !== 'inbox') return;
    const recent: RecentClaim = { id, name, at: now, sha256, finished: null, isMovedBack: false };
    this.#byName.delete(name);
    this.#byName.set(name, recent);
    this.#byId.set(id, recent);
  }

  /** Call it for a claim that was refused: what is dropped under its name next is another task. */
  forget({ id, name }: Pick<Claimed, 'id' | 'name'>): void {
    this.#byId.delete(id);
    if (this.#byName.get(name)?.id === id) this.#byName.delete(name);
  }

  /** Whether the files in this folder of a finished claim are to be retained. */
  retain(id: string, folder: string): boolean {
    const recent = this.#byId.get(id);
    if (recent === undefined) return false;
    const stamp = this.#stampOf(join(claimedFolder(this.#inbox), folder, recent.name));
    recent.finished = stamp === null ? null : { folder, stamp };
    return stamp !== null;
  }

  /** Remembers a claim of an earlier process; a file that was written to since it was taken counts as changed. */
  restore({ id, name, at, sha256 }: RecentTask, folder: string, now: number): void {
    this.add({ id, name, by: 'inbox', sha256 }, at);
    const recent = this.#byId.get(id);
    if (recent === undefined || !isRecent(recent, now) || !this.retain(id, folder)) return;
    const path = join(claimedFolder(this.#inbox), folder, name);
    const stats = statsOf(path);
    if (stats?.isFile() !== true || recent.finished === null) return;
    if (stats.mtimeMs > at) recent.finished.stamp = '';
    else recent.sha256 = hash('sha256', readFileSync(path)); // the ledger may have it redacted
  }

  folders(): Set<string> {
    return new Set([...this.#byId.values()].flatMap(({ finished }) => (finished === null ? [] : [finished.folder])));
  }

  /** Folders of claims that are no longer recent; they can be removed. */
  expired(now: number): string[] {
    for (const [name, recent] of this.#byName) if (!isRecent(recent, now)) this.#byName.delete(name);
    const folders: string[] = [];
    for (const [id, recent] of this.#byId) {
      if (isRecent(recent, now)) continue;
      this.#byId.delete(id);
      if (recent.finished !== null) folders.push(recent.finished.folder);
    }
    return folders;
  }

  /** Claims whose files have changed since they were taken, and where they are (C1). */
  changed(): { recent: RecentClaim; path: string; folder: string }[] {
    return [...this.#byId.values()].flatMap((recent) => {
      if (recent.finished === null) return [];
      const { folder } = recent.finished;
      const path = join(claimedFolder(this.#inbox), folder, recent.name);
      return this.#hasChanged(recent.finished, path, recent.sha256) ? [{ recent, path, folder }] : [];
    });
  }

  #hasChanged(finished: Finished, path: string, sha256: string): boolean {
    const stamp = this.#stampOf(path);
    if (stamp === null || stamp === finished.stamp) return false;
    finished.stamp = stamp;
    return statsOf(path)?.isFile() !== true || hash('sha256', readFileSync(path)) !== sha256;
  }

  /** Call it when the changed file is back in the inbox: what is taken under its name next is the same task. */
  movedBack(recent: RecentClaim): void {
    recent.isMovedBack = true;
    this.#byId.delete(recent.id);
    this.#byName.set(recent.name, recent);
  }

  /** The recent task that this claim is a revision of (C2). */
  revisedBy({ name, by, bytes }: Pick<Claimed, 'name' | 'by' | 'bytes'>, now: number): RecentClaim | null {
    const recent = by === 'inbox' ? this.#byName.get(name) : undefined;
    if (recent === undefined || !isRecent(recent, now)) return null;
    return recent.isMovedBack || repeatsText(this.#textOfClaim(recent), bytes.toString()) ? recent : null;
  }

  #stampOf(path: string): string | null {
    const stats = statsOf(path);
    return stats === null ? null : stampOfEntry(Buffer.from(path), stats, this.#limits);
  }

  /** The retained text; of a folder, that of TASK.md. */
  #textOfClaim({ id, name, finished }: RecentClaim): string {
    const path = join(claimedFolder(this.#inbox), finished?.folder ?? id, name);
    try {
      if (statsOf(path)?.isDirectory() !== true) return readFileSync(path, 'utf8');
      const task = readdirSync(path).find((each) => each.toUpperCase() === 'TASK.MD');
      return task === undefined ? '' : readFileSync(join(path, task), 'utf8');
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return '';
    }
  }
}

/** A file that was moved back may be written for longer. A clock that was set back ends the time. */
const isRecent = ({ at, isMovedBack }: RecentClaim, now: number): boolean =>
  isMovedBack || (now >= at && now - at < RECENT_MS);

/** Whether a later text continues this one, or contains at least half of its lines. */
export function repeatsText(before: string, after: string): boolean {
  const lines = linesIn(before);
  if (lines.length === 0) return false;
  const later = new Set(linesIn(after));
  const repeated = lines.filter((line) => later.has(line)).length;
  return after.startsWith(before.trimEnd()) || 2 * repeated >= lines.length;
}

/** Lines that say something: fences and rules would make unlike texts similar. */
function linesIn(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^(?:```|~~~)/.test(line));
}
