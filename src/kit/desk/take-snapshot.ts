/**
 * Owns: taking a snapshot of the desk, quickly when little has changed. Does not own: when, and how long it is stored.
 *
 * S1 Everything below the desk is in it: hidden and ignored files, repositories inside, empty folders, links as links.
 * S2 A file is read again whenever it may be another; one that has just been written is never taken for known.
 * S3 A file that is too large, not readable, or exceeds the limit of new content is listed as skipped, not stored.
 * S4 A folder whose mode forbids us to read it is opened to us for good (repair-modes.ts), so that undo can restore it.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { errnoOf } from '../../core/schema/errors.ts';
import { type Bytes, type OpenFolder, openTopFolder, isAbsence, toBytesPath, toShownPath } from './open-folder.ts';
import type { Objects } from './object-store.ts';
import { repairFolderMode } from './repair-modes.ts';
import { type Entry, firstNames, FOLDER, LINK, type Named, putTree, SKIPPED, WAY } from './snapshot-tree.ts';

export type SnapshotLimits = {
  /** A larger file is skipped. */
  mostFileBytes: number;
  /** Maximum new content of one snapshot. */
  mostNewBytes: number;
  /** Names on the desk that are left out. */
  without?: ReadonlySet<string>;
  /** Paths of the desk, none inside another: only these are in it. Everything when left out. */
  place?: readonly string[] | undefined;
  /** Whether it is a folder of a person, whose modes are left as they are (S4). */
  isForeign?: boolean;
};
export type Snapshot = { tree: string; skipped: string[] };

/** What a file was when it was last read, by path. */
export type Seen = Map<Bytes, { stamp: string; oid: string }>;

/** A file can change twice within a tick of the kernel's clock and have the same times. */
const FRESH_MS = 100;
const SLICE_MS = 10;

type SnapshotRun = SnapshotLimits & {
  objects: Objects;
  before: Seen;
  seen: Seen;
  skipped: string[];
  most: number;
  until: number;
};

/**
 * Updates `seen`, once everything has reached the store. The snapshot of a place costs what the place costs: of the rest of
 * the desk nothing is looked at, and what is known of it stays.
 */
export async function snapshotDesk(
  desk: string,
  objects: Objects,
  seen: Seen,
  limits: SnapshotLimits,
): Promise<Snapshot> {
  const keeping: SnapshotRun = {
    ...limits,
    objects,
    before: seen,
    seen: new Map(),
    skipped: [],
    most: objects.newBytes + limits.mostNewBytes,
    until: performance.now() + SLICE_MS,
  };
  using top = openTopFolder(desk);
  const { place } = limits;
  const tree = await (place === undefined
    ? snapshotFolder(keeping, top, '')
    : snapshotPlaces(keeping, top, '', place.map(toBytesPath)));
  await objects.flush();
  if (place === undefined) seen.clear();
  for (const [path, known] of keeping.seen) seen.set(path, known);
  return { tree, skipped: keeping.skipped };
}

/** The folders on the way to a place are in it as folders and nothing else, so that only what is in the place differs. */
async function snapshotPlaces(k: SnapshotRun, held: OpenFolder, at: Bytes, paths: readonly Bytes[]): Promise<string> {
  const entries: Named[] = [];
  for (const [name, below] of firstNames(paths)) {
    const stats = held.stat(name);
    if (stats === undefined) continue;
    const path = at === '' ? name : `${at}/${name}`;
    const entry = below.includes('')
      ? await snapshotEntry(k, held, name, path, stats)
      : stats.isDirectory()
        ? await snapshotWay(k, held, name, path, below)
        : null;
    if (entry !== null) entries.push({ ...entry, name });
  }
  return putTree(k.objects, entries);
}

async function snapshotWay(
  k: SnapshotRun,
  held: OpenFolder,
  name: Bytes,
  path: Bytes,
  below: readonly Bytes[],
): Promise<Entry> {
  using folder = held.enter(name);
  return { mode: WAY, oid: await snapshotPlaces(k, folder, path, below) };
}

async function snapshotFolder(keeping: SnapshotRun, held: OpenFolder, at: Bytes): Promise<string> {
  const entries: Named[] = [];
  for (const name of held.names()) {
    if (at === '' && keeping.without?.has(toShownPath(name)) === true) continue;
    const path = at === '' ? name : `${at}/${name}`;
    const stats = held.stat(name);
    if (stats === undefined) continue;
    const entry = await snapshotEntry(keeping, held, name, path, stats);
    if (entry !== null) entries.push({ ...entry, name });
    if (performance.now() < keeping.until) continue;
    await breathe();
    keeping.until = performance.now() + SLICE_MS;
  }
  return putTree(keeping.objects, entries);
}

function snapshotEntry(
  k: SnapshotRun,
  held: OpenFolder,
  name: Bytes,
  path: Bytes,
  stats: Stats,
): Promise<Entry | null> | Entry | null {
  return stats.isDirectory() ? snapshotSubfolder(k, held, name, path, stats) : snapshotLeaf(k, held, name, path, stats);
}

async function snapshotSubfolder(
  k: SnapshotRun,
  held: OpenFolder,
  name: Bytes,
  path: Bytes,
  stats: Stats,
): Promise<Entry | null> {
  try {
    const mode = k.isForeign === true ? stats.mode : repairFolderMode(held.at(name), stats);
    using below = held.enter(name);
    return { mode: FOLDER | (mode & 0o777), oid: await snapshotFolder(k, below, path) };
  } catch (error) {
    if (isAbsence(error)) return null;
    if (!isForbidden(error)) throw error;
    return skipEntry(k, path, stats);
  }
}

/** Pipes, sockets and devices have no content to store, but that they are there is part of the state. */
function snapshotLeaf(k: SnapshotRun, held: OpenFolder, name: Bytes, path: Bytes, stats: Stats): Entry | null {
  try {
    if (stats.isSymbolicLink())
      return { mode: LINK, oid: k.objects.put('blob', readlinkSync(held.at(name), { encoding: 'buffer' })) };
    return stats.isFile() ? snapshotFile(k, held, name, path, stats) : specialEntry(stats);
  } catch (error) {
    if (isAbsence(error) || errnoOf(error) === 'EINVAL') return null;
    if (!isForbidden(error)) throw error;
    return skipEntry(k, path, stats);
  }
}

function snapshotFile(k: SnapshotRun, held: OpenFolder, name: Bytes, path: Bytes, stats: Stats): Entry {
  const mode = 0o100000 | (stats.mode & 0o777);
  const stamp = fileStamp(stats);
  const before = k.before.get(path);
  if (before?.stamp === stamp) {
    k.seen.set(path, before);
    return { mode, oid: before.oid };
  }
  if (stats.size > k.mostFileBytes || stats.size > k.most - k.objects.newBytes) return skipEntry(k, path, stats);
  const at = Date.now();
  const bytes = readContentUpTo(held.at(name), k.mostFileBytes);
  if (bytes === null) return skipEntry(k, path, stats);
  const oid = k.objects.put('blob', bytes);
  if (at - Math.max(stats.ctimeMs, stats.mtimeMs) > FRESH_MS) k.seen.set(path, { stamp, oid });
  return { mode, oid };
}

const fileStamp = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;

function skipEntry(k: SnapshotRun, path: Bytes, stats: Stats): Entry {
  k.skipped.push(toShownPath(path));
  return skippedEntry(stats);
}

export const skippedEntry = ({ size, mtimeMs, mode }: Stats): Entry => ({
  mode: SKIPPED,
  oid: hash('sha256', `${size} ${mtimeMs} ${mode}`),
});

/** Of a pipe, a socket or a device. */
export const specialEntry = ({ mode }: Stats): Entry => ({ mode: SKIPPED, oid: hash('sha256', `special ${mode}`) });

/** Null when it is no regular file, or has become larger than allowed. */
export function readContentUpTo(path: Buffer, most: number): Buffer | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > most) return null;
    const bytes = Buffer.allocUnsafe(stats.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

const isForbidden = (error: unknown): boolean => ['EACCES', 'EPERM', 'EIO'].includes(errnoOf(error) ?? '');
