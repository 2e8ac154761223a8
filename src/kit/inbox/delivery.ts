/**
 * Owns: when an entry of the inbox counts as delivered. Does not own: claiming it.
 *
 * D1 It counts once it has not changed for the settling time: inode, size, time of change; for a folder, of every file.
 *    A folder settles five times as long, since its files come one by one, and its content must be the same at both ends.
 * D2 What could still become a task (empty, unclosed front matter, no TASK.md yet) gets more time, then it is refused.
 * D3 Its content is read once, and again only after a change.
 * D4 What a process has open for writing is not delivered, where the system shows it or the kernel says so
 *    (open-for-writing.ts). A file whose writer may be hidden settles five times as long besides, and ten times while its
 *    last line has no end; it is refused when its last block of code is never closed.
 */
import { closeSync, constants, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { assertPlain, assertSize, kindOf, NotATask, readPlain, Vanished } from './plain-file.ts';
import { conflictCopyOf, conflictReason } from './conflict-copy.ts';
import { mayBeWrittenUnseen } from './open-for-writing.ts';
import { classifyName } from './entry-name.ts';
import { readTask } from './parse-task.ts';
import { digestOfFolder, type FolderLimits, listFiles, stampOf, stampOfFolder, TASK } from './task-folder.ts';

export type Limits = FolderLimits & { mostBytes: number };
export type Patience = { settleMs: number; patienceMs: number };
/** Whether a task of this name is in the inbox, or was taken from it before. */
export type NameCheck = { hasSeenName: (name: string) => boolean };

/** Something in the inbox that is not hidden. `path` is in bytes, since names of files are. */
export type Entry = { path: Buffer; name: Buffer; by: 'inbox' | 'add' };

export type Observed = {
  entry: Entry;
  /** The name as people see it. */
  name: string;
  stamp: string;
  /** When it was first seen in this state. */
  since: number;
  /** Of a folder that has not settled: the hash of its content, once it was read; null if it is not a task yet. */
  digest?: string | null;
  state: State;
};
type State =
  | { kind: 'fresh' }
  /** Everything else is fine, but this process may still write to it. */
  | { kind: 'open'; by: string }
  | { kind: 'ready'; priority: number; arrival: number }
  | { kind: 'refused'; reason: string }
  /** It stays where it is, and every scan tries again: a changed owner does not change the stamp. */
  | { kind: 'unreadable'; reason: string };

/** Null if it does not exist, or is to be ignored. */
export function inspectEntry(
  entry: Entry,
  prior: Observed | undefined,
  now: number,
  rules: Limits & Patience & NameCheck,
): Observed | null {
  const named = classifyName(entry.name);
  if (named.kind === 'ignored') return null;
  const stats = statsOf(entry.path);
  if (stats === null) return null;
  const stamp = stampOfEntry(entry.path, stats, rules);
  const same = prior?.stamp === stamp;
  if (same && isFinal(prior.state)) return prior;
  const since = same ? Math.min(prior.since, now) : now;
  const name = named.kind === 'named' ? named.name : named.shown;
  const observed: Observed = { entry, name, stamp, since, state: { kind: 'fresh' } };
  if (entry.by === 'inbox' && !hasSettled(observed, stats, prior, now, rules)) return observed;
  if (named.kind === 'refused') return { ...observed, state: named };
  const copy = entry.by === 'add' ? null : conflictCopyOf(name);
  if (copy !== null && (copy.isCertain || rules.hasSeenName(copy.original)))
    return { ...observed, state: { kind: 'refused', reason: conflictReason(copy) } };
  return { ...observed, state: judgeEntry(observed, stats, now - since >= rules.patienceMs, rules) };
}

/** Whether the state stays until the entry changes. */
function isFinal({ kind }: State): boolean {
  return kind === 'ready' || kind === 'refused';
}

const FOLDER_SETTLES = 5;
const UNSEEN_SETTLES = 5;

/** Of a file (D4). */
function settlingTime(path: Buffer, stats: Stats, { settleMs, mostBytes }: Limits & Patience): number {
  if (!mayBeWrittenUnseen(stats) || !stats.isFile() || stats.size > mostBytes) return settleMs;
  return settleMs * UNSEEN_SETTLES * (endsWithNewline(path, stats.size) ? 1 : 2);
}

function endsWithNewline(path: Buffer, size: number): boolean {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const last = Buffer.alloc(1);
      return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false; // whoever reads it says why
  }
}

/** D1. Stores the hash of a folder's content in `observed`, and starts over if it is not the one from before. */
function hasSettled(
  observed: Observed,
  stats: Stats,
  prior: Observed | undefined,
  now: number,
  rules: Limits & Patience,
): boolean {
  if (!stats.isDirectory()) return now - observed.since >= settlingTime(observed.entry.path, stats, rules);
  const same = prior?.stamp === observed.stamp;
  const isDue = now - observed.since >= FOLDER_SETTLES * rules.settleMs;
  const before = same ? prior.digest : undefined;
  if (prior !== undefined && !same) return false; // it is growing; it is hashed when it has stopped
  observed.digest = before === undefined || isDue ? digestOfFolder(observed.entry.path.toString(), rules) : before;
  if (before !== undefined && before !== observed.digest) observed.since = now;
  else if (isDue) return before !== undefined || rules.settleMs === 0;
  return false;
}

const SURE_WAY = 'If a program writes it, let it write NAME.part, and rename that when it is complete';
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Whether a fence that opens a block of code has none that closes it. */
function endsInCode(text: string): boolean {
  let open: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, fence = '', info = ''] = FENCE.exec(line) ?? [];
    if (fence === '') continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open) && info.trim() === '') open = null;
  }
  return open !== null;
}

function judgeEntry(observed: Observed, stats: Stats, patienceIsOver: boolean, limits: Limits): State {
  try {
    const { priority = 0 } = taskAt(observed, stats, limits);
    return { kind: 'ready', priority, arrival: stats.mtimeMs };
  } catch (error) {
    if (error instanceof Vanished) return { kind: 'fresh' };
    if (!(error instanceof NotATask)) throw error;
    if (error.unreadable) return { kind: 'unreadable', reason: error.message };
    if (error.unfinished && !patienceIsOver) return { kind: 'fresh' };
    const isHalf = error.unfinished && mayBeWrittenUnseen(stats);
    return { kind: 'refused', reason: isHalf ? `${error.message}. ${SURE_WAY}` : error.message };
  }
}

function taskAt({ entry, name }: Observed, stats: Stats, limits: Limits): { priority?: number | undefined } {
  if (!stats.isDirectory()) {
    assertTaskFile(stats, name, limits);
    const { bytes } = readPlain(entry.path, limits.mostBytes);
    if (mayBeWrittenUnseen(stats) && endsInCode(Buffer.from(bytes).toString()))
      throw new NotATask('its last block of code is not closed', { unfinished: true });
    return readTask(bytes, name).task;
  }
  const folder = entry.path.toString();
  const { task } = listFiles(folder, limits);
  return readTask(readPlain(join(folder, task), limits.mostBytes).bytes, name).task;
}

export function assertTaskFile(stats: Stats, name: string, limits: Limits): void {
  if (!stats.isFile()) throw new NotATask(`it is ${kindOf(stats)}; a task is a regular file, or a folder with ${TASK}`);
  assertPlain(stats);
  if (!/\.(md|markdown|txt)$/i.test(name)) {
    const why = `a task is a .md or .txt file; give other files the name of their task, or put them into a folder with a ${TASK} that says what to do`;
    throw new NotATask(why, { unfinished: true });
  }
  assertSize(stats.size, limits.mostBytes);
}

/** A folder that cannot be read completely is identified by its own status and the error. */
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
