/**
 * Owns: when something that lies in the inbox counts as delivered. Does not own: taking it.
 *
 * D1 It counts when nothing about it has changed for the time to settle: inode, size, time of change; for a folder, of every file.
 * D2 What could still become a task (empty, open front matter, no TASK.md yet) is given patience, then refused.
 * D3 It is judged once; only a change brings another look at its content.
 */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../schema/errors.ts';
import { assertPlain, assertSize, kindOf, NotATask, readPlain, Vanished } from './plain-file.ts';
import { sift } from './sift.ts';
import { readTask } from './task.ts';
import { type FolderLimits, listed, stampOf, stampOfFolder, TASK } from './task-folder.ts';

export type Limits = FolderLimits & { mostBytes: number };
export type Patience = { settleMs: number; patienceMs: number };

/** Something in the inbox that is not hidden. `path` is in bytes because names are. */
export type Entry = { path: Buffer; name: Buffer; by: 'inbox' | 'add' };

export type Sight = {
  entry: Entry;
  /** For people. */
  name: string;
  stamp: string;
  /** When it was first seen like this. */
  since: number;
  state: State;
};
export type State =
  | { kind: 'fresh' }
  | { kind: 'ready'; priority: number; arrival: number }
  | { kind: 'refused'; reason: string };

/** Null when there is nothing to see, or nothing that concerns the inbox. */
export function lookAtEntry(
  entry: Entry,
  prior: Sight | undefined,
  now: number,
  rules: Limits & Patience,
): Sight | null {
  const sifted = sift(entry.name);
  if (sifted.kind === 'ignored') return null;
  const stats = statsOf(entry.path);
  if (stats === null) return null;
  const stamp = stampOfEntry(entry.path, stats, rules);
  const same = prior?.stamp === stamp;
  if (same && prior.state.kind !== 'fresh') return prior;
  const since = same ? Math.min(prior.since, now) : now;
  const name = sifted.kind === 'named' ? sifted.name : sifted.shown;
  const sight: Sight = { entry, name, stamp, since, state: { kind: 'fresh' } };
  if (now - since < (entry.by === 'add' ? 0 : rules.settleMs)) return sight;
  if (sifted.kind === 'refused') return { ...sight, state: sifted };
  return { ...sight, state: judged(sight, stats, now - since >= rules.patienceMs, rules) };
}

function judged(sight: Sight, stats: Stats, patienceIsOver: boolean, limits: Limits): State {
  try {
    const { priority = 0 } = taskAt(sight, stats, limits);
    return { kind: 'ready', priority, arrival: stats.mtimeMs };
  } catch (error) {
    if (error instanceof Vanished) return { kind: 'fresh' };
    if (!(error instanceof NotATask)) throw error;
    if (error.unfinished && !patienceIsOver) return { kind: 'fresh' };
    return { kind: 'refused', reason: error.message };
  }
}

function taskAt({ entry, name }: Sight, stats: Stats, limits: Limits): { priority?: number | undefined } {
  if (!stats.isDirectory()) {
    assertTaskFile(stats, name, limits);
    return readTask(readPlain(entry.path, limits.mostBytes).bytes, name).task;
  }
  const folder = entry.path.toString();
  listed(folder, limits);
  return readTask(readPlain(join(folder, TASK), limits.mostBytes).bytes, name).task;
}

export function assertTaskFile(stats: Stats, name: string, limits: Limits): void {
  if (!stats.isFile()) throw new NotATask(`it is ${kindOf(stats)}; a task is a regular file, or a folder with ${TASK}`);
  assertPlain(stats);
  assertSize(stats.size, limits.mostBytes);
  if (!/\.(md|markdown|txt)$/i.test(name)) {
    const why = `a task is a .md or .txt file; other files belong into a folder, beside a ${TASK} that says what to do`;
    throw new NotATask(why, { unfinished: true });
  }
}

/** A folder that cannot be gone through has no stamp of its own; it is judged by what can be seen of it. */
export function stampOfEntry(path: Buffer, stats: Stats, limits: FolderLimits): string {
  if (!stats.isDirectory()) return `${stampOf(stats)} ${stats.nlink}`;
  try {
    return stampOfFolder(path, limits);
  } catch (error) {
    if (error instanceof NotATask || error instanceof Vanished) return `${stampOf(stats)} ${error.message}`;
    throw error;
  }
}

export function statsOf(path: Buffer | string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
