/**
 * Owns: claiming a task from the inbox, and recovering claims after a crash.
 * Does not own: order and delivery; what happens to a task once it is in the ledger.
 *
 * K1 A task is moved out of the inbox by one rename, then read, then named after its id. `leftClaims` finds it
 *    after each of these steps: nothing is lost between the inbox and the ledger.
 * K2 The renames of a claim are durable before it is returned: a task that is in the ledger cannot reappear as another one.
 * K3 An id is claimed once. A task without an id gets one from its name, its content, and a number that distinguishes
 *    identical ones.
 */
import { createHash, hash, randomUUID } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, syncFolderAsync } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import { triggersAmong } from '../../core/schema/program-triggers.ts';
import { assertTaskFile, type Limits, type Observed, stampOfEntry, statsOf } from './delivery.ts';
import { conflictCopyOf, conflictReason } from './conflict-copy.ts';
import { NotATask, readPlain, Vanished } from './plain-file.ts';
import {
  claimedFolder,
  makeNew,
  move,
  ownFolder,
  type Rename,
  removeIfEmpty,
  removeIfEmptyAsync,
  TAKING,
} from './inbox-folders.ts';
import { printableName } from './entry-name.ts';
import { readTask, type TaskText } from './parse-task.ts';
import { type FolderFile, type FolderLink, filesOf } from './task-folder.ts';

export type Claimed = TaskText & {
  id: string;
  /** Name of the file or folder in the inbox. */
  name: string;
  by: 'inbox' | 'add' | 'schedule' | `fleet:${string}`;
  /** Whether the ledger has it already: it was claimed before a crash, and only the following steps may be missing. */
  known: boolean;
  /** The text of the task, unchanged. */
  bytes: Buffer;
  sha256: string;
  /** Hash of its text and all its files. */
  digest: string;
  /** The other files of a task folder, relative to `folder`. */
  files: FolderFile[];
  /** Symbolic links in the folder that stay inside it. */
  links: FolderLink[];
  /** Null for a task that is a single file. */
  folder: string | null;
};

type Ledgered = {
  isKnown(id: string): boolean;
  /** Whether the task has ended and its result is written. */
  hasResult(id: string): boolean;
};
export type Claims = {
  inbox: string;
  limits: Limits;
  ledger: Ledgered;
  rename: Rename;
  home: string | null;
  /** How often each derived id was used. */
  given: Map<string, number>;
};

/** Thrown for something that was moved out of the inbox and then turned out not to be a task. */
export class RefusedClaim extends Error {
  override readonly name = 'RefusedClaim';
  readonly at: string;

  constructor(reason: string, at: string) {
    super(reason);
    this.at = at;
  }
}

export const OTHER_ID = 'For a task of its own give it another id, or none.';
const FINISHED = '.finished-';
const UUID_LENGTH = 36;

/** Claims an entry only if it has not changed since it was found ready. */
export function claim(claims: Claims, { entry, stamp }: Pick<Observed, 'entry' | 'stamp'>): Claimed {
  const stats = statsOf(entry.path);
  if (stats === null || stampOfEntry(entry.path, stats, claims.limits) !== stamp) throw new Vanished('');
  const name = entry.name.toString();
  const taking = join(ownFolder(claimedFolder(claims.inbox)), `${TAKING}${randomUUID()}`);
  makeNew(taking);
  try {
    move(entry.path, join(taking, name), claims.rename);
  } catch (error) {
    removeIfEmpty(taking);
    throw error;
  }
  return nameClaim(claims, taking, name, entry.by);
}

/** Makes a claim durable without blocking. Nothing is recorded about it before, so that no power cut undoes it. */
export async function flushClaim({ inbox }: Claims, { id, by }: Claimed, entry: Observed['entry']): Promise<void> {
  const from = dirname(entry.path.toString());
  await Promise.all([join(claimedFolder(inbox), id), claimedFolder(inbox), from].map(syncFolderAsync));
  if (by === 'add') await removeIfEmptyAsync(from);
}

/** Continues a claim that was interrupted before it had its id. */
function nameClaim(claims: Claims, taking: string, name: string, by: Claimed['by']): Claimed {
  return refuseOnError(join(taking, name), () => {
    const content = readTaskContent(join(taking, name), name, claims.limits);
    const id = idOf(claims, taking, name, content);
    const folder = join(claimedFolder(claims.inbox), id);
    return { ...content, id, name, by, known: false, folder: content.isFolder ? join(folder, name) : null };
  });
}

/** Gives the folder of the claim its final name; the rename succeeds only for an unused id. */
function idOf(claims: Claims, taking: string, name: string, content: TaskContent): string {
  const { inbox, ledger, given } = claims;
  const take = (id: string): boolean => !ledger.isKnown(id) && move(taking, join(claimedFolder(inbox), id), renameSync);
  const own = content.task.id;
  if (own !== undefined) {
    if (take(own)) return own;
    throw new NotATask(`a task with the id "${own}" was accepted before; the same id means the same task. ${OTHER_ID}`);
  }
  assertNotTakenBefore(claims, name, content);
  const base = baseOf(claims, name, content);
  for (let number = (given.get(base) ?? 0) + 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!take(id)) continue;
    given.set(base, number);
    return id;
  }
}

/** A possible conflict copy with the content of a task that was accepted under the original name is that task. */
function assertNotTakenBefore(claims: Claims, name: string, content: TaskContent): void {
  const copy = conflictCopyOf(name);
  if (copy !== null && claims.ledger.isKnown(baseOf(claims, copy.original, content)))
    throw new NotATask(conflictReason(copy));
}

function baseOf({ home }: Claims, name: string, { digest }: TaskContent): string {
  const mark = home === null ? digest : hash('sha256', `${home} ${digest}`);
  return `${slugOf(name)}-${mark.slice(0, 8)}`;
}

export function slugOf(name: string): string {
  const plain = name
    .replace(/\.(md|markdown|txt)$/i, '')
    .normalize('NFKD')
    .toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'task' : slug;
}

export type TaskContent = TaskText &
  Pick<Claimed, 'bytes' | 'sha256' | 'digest' | 'files' | 'links'> & { isFolder: boolean };

/** Reads a task file or a task folder; throws NotATask, or Vanished. */
export function readTaskContent(path: string, name: string, limits: Limits): TaskContent {
  const stats = statsOf(path);
  if (stats === null) throw new Vanished('');
  const isFolder = stats.isDirectory();
  if (!isFolder) assertTaskFile(stats, name, limits);
  const { files, links, leftOut, task } = isFolder ? filesOf(path, limits) : SINGLE;
  const { bytes } = readPlain(join(path, task), limits.mostBytes);
  const digest = createHash('sha256').update(bytes);
  for (const file of files) digest.update(`${file.path}\0${file.sha256}\n`);
  for (const link of links) digest.update(`${link.path}\0${link.target}\n`);
  const sha256 = hash('sha256', bytes);
  const text = readTask(bytes, name);
  const notes = [...text.notes, ...noteOnLinks(leftOut), ...noteOnTriggers([...files, ...links])];
  return { ...text, notes, bytes, sha256, files, links, isFolder, digest: digest.digest('hex') };
}

const SINGLE = { files: [], links: [], leftOut: [], task: '' };
const MOST_NAMED = 20;

const noteOnLinks = (leftOut: readonly string[]): string[] =>
  leftOut.length === 0 ? [] : [`symbolic links that lead out of the folder were left out: ${listNames(leftOut)}`];

function noteOnTriggers(files: readonly { path: string }[]): string[] {
  const found = triggersAmong(files.map(({ path }) => path)).map(({ path }) => path);
  return found.length === 0 ? [] : [`its folder contains files that make other programs run: ${listNames(found)}`];
}

function listNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/**
 * Call it once the task is in the ledger and its files are in place. What was claimed stays under the returned name
 * until it is removed; after a crash it counts as finished. Null if nothing is left of it.
 */
export function finishClaim(inbox: string, { id }: Pick<Claimed, 'id'>): string | null {
  const name = `${FINISHED}${randomUUID()}-${id}`;
  try {
    renameSync(join(claimedFolder(inbox), id), join(claimedFolder(inbox), name));
    return name;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The id of the task in a folder that `finishClaim` has named. */
export const idOfFinished = (name: string): string => name.slice(FINISHED.length + UUID_LENGTH + 1);

/** Folder names of claims that were not finished, and of finished ones that were not removed; nothing in them is read. */
export function leftClaims(inbox: string): { unfinished: string[]; finished: string[] } {
  const names = readdirSync(ownFolder(claimedFolder(inbox))).toSorted();
  const isFinished = (name: string): boolean => name.startsWith(FINISHED);
  return { unfinished: names.filter((name) => !isFinished(name)), finished: names.filter(isFinished) };
}

/** Removes what is left of a finished claim, or of one whose task has its result, without blocking. */
export async function removeFinished(inbox: string, name: string): Promise<void> {
  const finished = name.startsWith(FINISHED) ? name : finishClaim(inbox, { id: name });
  if (finished === null) return;
  const folder = join(claimedFolder(inbox), finished);
  const entries = await readdir(folder).catch(() => []); // `rm` reports what is wrong with it, but tries a full folder twice
  for (const path of [...entries.map((entry) => join(folder, entry)), folder])
    await rm(path, { recursive: true, force: true });
}

/** Null if nothing of the claim is left. */
export async function reclaim(claims: Claims, left: string): Promise<Claimed | null> {
  const folder = join(claimedFolder(claims.inbox), left);
  const stats = statsOf(folder);
  if (stats === null) return null;
  if (!stats.isDirectory()) throw new RefusedClaim('it is not a claimed task', folder);
  const [name] = readdirSync(folder);
  if (name === undefined) {
    removeIfEmpty(folder);
    return null;
  }
  if (left.startsWith(TAKING)) {
    const claimed = nameClaim(claims, folder, name, 'inbox');
    for (const changed of [join(claimedFolder(claims.inbox), claimed.id), claimedFolder(claims.inbox)])
      syncFolder(changed);
    return claimed;
  }
  const known = claims.ledger.isKnown(left);
  try {
    const content = readTaskContent(join(folder, name), name, claims.limits);
    const files = content.isFolder ? join(folder, name) : null;
    return { ...content, id: left, name, by: 'inbox', known, folder: files };
  } catch (error) {
    if (!(error instanceof NotATask)) throw error;
    if (!known) throw new RefusedClaim(error.message, join(folder, name));
    await removeFinished(claims.inbox, left);
    return null;
  }
}

function refuseOnError<T>(at: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotATask) throw new RefusedClaim(error.message, at);
    throw error;
  }
}

/** The original name of a refused claim. */
export const nameOfClaim = ({ at }: RefusedClaim): string =>
  printableName(Buffer.from(at.slice(dirname(at).length + 1)));
