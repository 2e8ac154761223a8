/**
 * Owns: taking a task out of the inbox, and finding again what was taken before a crash.
 * Does not own: order and delivery; what happens to a task after it is in the ledger.
 *
 * K1 Taken in one rename, away from everybody else; then read; then named after its id. Each step leaves a state that
 *    `leftBehind` picks up: nothing is lost between the inbox and the ledger.
 * K2 Before a claim is handed out its renames are durable: a task that the ledger knows cannot come back as another one.
 * K3 An id is claimed once. Without an id of its own a task is named after its name and content, and a number that tells
 *    identical ones apart.
 */
import { createHash, hash, randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../ledger/disk.ts';
import { errnoOf } from '../schema/errors.ts';
import { assertTaskFile, type Limits, type Sight, stampOfEntry, statsOf } from './deliver.ts';
import { NotATask, readPlain, Vanished } from './plain-file.ts';
import { claimedFolder, makeNew, move, ownFolder, type Rename, removeIfEmpty } from './places.ts';
import { shownName } from './sift.ts';
import { readTask, type TaskText } from './task.ts';
import { type FolderFile, filesOf, TASK } from './task-folder.ts';

export type Claimed = TaskText & {
  id: string;
  /** Of the file or folder, as it lay in the inbox. */
  name: string;
  by: 'inbox' | 'add';
  /** The ledger has it already: it was taken before a crash, and only what follows may be missing. */
  known: boolean;
  /** The task's text as it was given. */
  bytes: Buffer;
  sha256: string;
  /** What lies beside TASK.md, below `folder`. */
  files: FolderFile[];
  /** Null for a task that is a single file. */
  folder: string | null;
};

export type Ledgered = { isKnown(id: string): boolean };
export type Claims = {
  inbox: string;
  limits: Limits;
  ledger: Ledgered;
  rename: Rename;
  /** How often a derived id was given out. */
  given: Map<string, number>;
};

/** What was moved away from its place and then turned out to be no task. */
export class RefusedClaim extends Error {
  override readonly name = 'RefusedClaim';
  readonly at: string;

  constructor(reason: string, at: string) {
    super(reason);
    this.at = at;
  }
}

const TAKING = '.taking-';
const FINISHED = '.finished-';

/** Nothing is taken that is not as it was when it was found ready. */
export function claim(claims: Claims, { entry, stamp }: Pick<Sight, 'entry' | 'stamp'>): Claimed {
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
  const from = dirname(entry.path.toString());
  const claimed = named(claims, taking, name, entry.by);
  syncFolder(from);
  if (entry.by === 'add') removeIfEmpty(from);
  return claimed;
}

/** A claim that was interrupted before it had its id is taken up where it was left. */
function named(claims: Claims, taking: string, name: string, by: Claimed['by']): Claimed {
  return refusing(join(taking, name), () => {
    const content = contentAt(join(taking, name), name, claims.limits);
    const id = idOf(claims, taking, name, content);
    const folder = join(claimedFolder(claims.inbox), id);
    syncFolder(folder);
    syncFolder(claimedFolder(claims.inbox));
    return { ...content, id, name, by, known: false, folder: content.isFolder ? join(folder, name) : null };
  });
}

/** The folder of the claim gets its final name here; the name being free is what makes the id ours. */
function idOf({ inbox, ledger, given }: Claims, taking: string, name: string, content: Content): string {
  const take = (id: string): boolean => !ledger.isKnown(id) && move(taking, join(claimedFolder(inbox), id), renameSync);
  const own = content.task.id;
  if (own !== undefined) {
    if (take(own)) return own;
    throw new NotATask(`a task with the id "${own}" was taken before; the same id means the same task`);
  }
  const base = `${slugOf(name)}-${content.digest.slice(0, 8)}`;
  for (let number = (given.get(base) ?? 0) + 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!take(id)) continue;
    given.set(base, number);
    return id;
  }
}

function slugOf(name: string): string {
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

type Content = TaskText & Pick<Claimed, 'bytes' | 'sha256' | 'files'> & { isFolder: boolean; digest: string };

function contentAt(path: string, name: string, limits: Limits): Content {
  const stats = statsOf(path);
  if (stats === null) throw new Vanished('');
  const isFolder = stats.isDirectory();
  if (!isFolder) assertTaskFile(stats, name, limits);
  const files = isFolder ? filesOf(path, limits) : [];
  const { bytes } = readPlain(isFolder ? join(path, TASK) : path, limits.mostBytes);
  const digest = createHash('sha256').update(bytes);
  for (const file of files) digest.update(`${file.path}\0${file.sha256}\n`);
  const sha256 = hash('sha256', bytes);
  return { ...readTask(bytes, name), bytes, sha256, files, isFolder, digest: digest.digest('hex') };
}

/** Called once the task is in the ledger and its files are where they belong. */
export function finishClaim(inbox: string, { id }: Pick<Claimed, 'id'>): void {
  const gone = join(claimedFolder(inbox), `${FINISHED}${randomUUID()}`);
  try {
    renameSync(join(claimedFolder(inbox), id), gone);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  rmSync(gone, { recursive: true, force: true });
}

/** Names of folders of claims that nobody has finished. */
export function leftBehind(inbox: string): string[] {
  const folder = ownFolder(claimedFolder(inbox));
  for (const name of readdirSync(folder)) {
    if (name.startsWith(FINISHED)) rmSync(join(folder, name), { recursive: true, force: true });
    else removeIfEmpty(join(folder, name));
  }
  return readdirSync(folder).toSorted();
}

/** Null when there is nothing left to hand out. */
export function reclaim(claims: Claims, left: string): Claimed | null {
  const folder = join(claimedFolder(claims.inbox), left);
  const [name] = statsOf(folder)?.isDirectory() === true ? readdirSync(folder) : [];
  if (name === undefined) throw new RefusedClaim('it is nothing that was claimed', folder);
  if (left.startsWith(TAKING)) return named(claims, folder, name, 'inbox');
  const known = claims.ledger.isKnown(left);
  try {
    const content = contentAt(join(folder, name), name, claims.limits);
    const files = content.isFolder ? join(folder, name) : null;
    return { ...content, id: left, name, by: 'inbox', known, folder: files };
  } catch (error) {
    if (!(error instanceof NotATask)) throw error;
    if (!known) throw new RefusedClaim(error.message, join(folder, name));
    finishClaim(claims.inbox, { id: left });
    return null;
  }
}

function refusing<T>(at: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotATask) throw new RefusedClaim(error.message, at);
    throw error;
  }
}

/** Of a refused claim, as the person knew it. */
export const nameOfClaim = ({ at }: RefusedClaim): string => shownName(Buffer.from(at.slice(dirname(at).length + 1)));
