/**
 * Owns: one walk over the files of a workspace, against the stat cache of the walk before.
 * Does not own: what is recorded of it (diff-tree.ts), where the cache is stored.
 *
 * W1 Links are never followed, and nothing outside the root is read.
 * W2 A file is read only when its stat differs from the cache, or everything is to be read.
 * W3 What cannot be read, or is no longer there, is noted and left out; a walk fails only when the root is not there.
 * W4 The names in a folder are read only when its own stat differs from the cache (folder-times.ts), or everything is to be read.
 * W5 It is a generator that yields between entries, so that whoever drives it decides how long it works at a time.
 */
import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { errnoOf } from '../../../core/schema/errors.ts';
import type { NodeID } from '../../../core/schema/tree.ts';
import { folderId, linkId, type NamedNode } from './folder-id.ts';
import { type FolderTimes, folderTimes, isSameFolder, reliableDevice } from './folder-times.ts';
import { readNames } from './folder-names.ts';
import { type FileHasher, openFileHasher } from './hash-file.ts';
import { addIgnoreFiles, IGNORE_FILES, type IgnoreRules, isIgnored, NO_RULES, readIgnoreFile } from './ignore-rules.ts';
import { type ByteString, isAscii, toBytes, toPathText } from './path-text.ts';
import * as code from './scan-entry.ts';
import { type CachedFolder, cachedEntries, namesOf, type StatCache, StatCacheBuilder, STATS } from './stat-cache.ts';
import { copyEntry, type Entries, newEntries, setEntry, setSkipped } from './walked-entries.ts';

export type WalkOptions = {
  root: string;
  cache: StatCache;
  /** Read every file (W2). */
  force: boolean;
  maxFileBytes: number;
  /** Masks secrets in names. */
  redact: (text: string) => string;
  /** The time now, in milliseconds. */
  clock: () => number;
};

/** `read` counts files that were hashed. */
export type Walked = { cache: StatCache; read: number; vanished: number; isChanged: boolean };

type Walk = WalkOptions & {
  builder: StatCacheBuilder;
  hashFile: FileHasher;
  /** Stats that are not older than this could change once more without a difference. */
  settledBefore: number;
  /** The device on which the times of folders can be relied on; null when there is none. */
  device: number | null;
  /** Whether the times of a folder were stored for the first time, though nothing in it changed. */
  hasNewTimes: boolean;
  read: number;
  vanished: number;
};

/** Timestamps of files have a granularity, of some milliseconds on usual file systems. */
const GRANULARITY_MS = 100;

export function* walkWorkspace(options: WalkOptions): Generator<number, Walked> {
  const walk: Walk = {
    ...options,
    builder: new StatCacheBuilder(options.cache),
    hashFile: openFileHasher(options.maxFileBytes),
    settledBefore: options.clock() - GRANULARITY_MS,
    device: reliableDevice(options.root),
    hasNewTimes: false,
    read: 0,
    vanished: 0,
  };
  const top = { path: '', folder: toBytes(options.root), own: statSync(options.root) };
  const root = yield* walkFolder(walk, top, NO_RULES);
  const { read, vanished } = walk;
  return { cache: walk.builder.finish(), read, vanished, isChanged: !root.isSame || walk.hasNewTimes };
}

type WalkedFolder = { id: NodeID; isSame: boolean };

/** Where a folder is: below the root, and for the system. `own` is its stat from before its names were read. */
type FolderAt = { path: ByteString; folder: ByteString; own: Stats };

/** One folder while it is walked. */
type Folder = FolderAt & {
  names: readonly ByteString[];
  /** Which of them are files, where the cache does not know the folder; else empty. */
  isFile: readonly boolean[];
  rules: IgnoreRules;
  /** Whether all paths in it are ASCII, and can be passed to the system as they are. */
  isPlain: boolean;
  known: CachedFolder | undefined;
  /** Whether the cache has the same names in the same order, under the same rules. */
  isAligned: boolean;
  /** Where an entry stands in the cache; -1 where it does not. */
  priorOf: (index: number) => number;
  /** Made when the first entry is found that is not as it was. */
  entries: Entries | null;
};

/** A walk yields after so many entries. */
const SLICE = 64;

function* walkFolder(walk: Walk, at: FolderAt, above: IgnoreRules): Generator<number, WalkedFolder> {
  const folder = openFolder(walk, at, above);
  const { names, isFile, known, isAligned, isPlain, folder: place } = folder;
  const first = known?.first ?? 0;
  for (let index = 0; index < names.length; index += 1) {
    const prior = isAligned ? first + index : folder.priorOf(index);
    const file = isPlain ? `${place}/${names[index]}` : toFsPath(`${place}/${names[index]}`, false);
    const stats = isFile[index] === true ? null : lstatSync(file, NO_THROW);
    if (stats === null) readNewFile(walk, folder, index, file);
    else if (stats !== undefined && isKnown(walk, prior, stats)) {
      if (!isAligned) copyEntry(walk.cache, prior, entriesOf(walk, folder), index);
    } else if (stats?.isDirectory() === true && !isLeftOut(walk, folder, index, true)) {
      yield* enterFolder(walk, folder, { index, prior, own: stats });
    } else readEntry(walk, folder, { index, file, stats });
    if (index % SLICE === SLICE - 1) yield walk.read;
  }
  yield walk.read;
  if (folder.entries === null && isAligned && known !== undefined) {
    const times = known.times ?? timesOf(walk, folder, false);
    walk.hasNewTimes ||= known.times === null && times !== null;
    walk.builder.addKnown(known, times);
    return { id: known.id, isSame: true };
  }
  return { id: addFolder(walk, folder, entriesOf(walk, folder)), isSame: false };
}

const NO_THROW = { throwIfNoEntry: false } as const;

function openFolder(walk: Walk, at: FolderAt, above: IgnoreRules): Folder {
  const { path, folder, own } = at;
  const known = walk.cache.folders.get(path);
  const hasSameNames = known !== undefined && !walk.force && isSameFolder(known.times, own, walk.device);
  const { names, isFile } = hasSameNames
    ? { names: namesOf(known), isFile: [] }
    : readNames(toFsPath(folder, isAscii(folder)), known === undefined);
  const joined = hasSameNames ? known.names : names.join('/');
  const isPlain = isAscii(folder) && isAscii(joined);
  const rules = rulesIn(above, path, folder, names);
  const isAligned = known !== undefined && known.names === joined && known.rules === rules.version;
  const priorOf = known === undefined ? () => -1 : priorEntries(known, isAligned ? null : names);
  return { ...at, names, isFile, rules, isPlain, known, isAligned, priorOf, entries: null };
}

/** Where the entry at a place of the directory stands in the cache; entries of an unchanged list have the same order. */
function priorEntries(known: CachedFolder, names: readonly string[] | null): Folder['priorOf'] {
  const { first } = known;
  if (names === null) return (index) => first + index;
  const places = new Map(namesOf(known).map((name, index) => [name, first + index]));
  return (index) => places.get(names[index] ?? '') ?? -1;
}

/** What an aligned folder has in the cache is right for every entry that is not set again. */
function entriesOf({ cache }: Walk, folder: Folder): Entries {
  if (folder.entries !== null) return folder.entries;
  const { known, isAligned, names } = folder;
  folder.entries = newEntries(names.length);
  if (isAligned && known !== undefined) {
    const { stats, codes, ids } = cachedEntries(cache, known);
    folder.entries.stats.set(stats);
    folder.entries.codes.set(codes);
    folder.entries.ids.set(ids);
  }
  return folder.entries;
}

/** Whether an entry is ignored. Where names and rules are as they were, the cache knows it of entries of the same kind. */
function isLeftOut({ cache }: Walk, folder: Folder, index: number, isFolder: boolean): boolean {
  const prior = folder.isAligned ? folder.priorOf(index) : -1;
  const before = cache.codes[prior];
  if (before !== undefined && before < code.IGNORED && (before === code.FOLDER) === isFolder) return false;
  const name = folder.names[index] ?? '';
  return isIgnored(folder.rules, folder.path === '' ? name : `${folder.path}/${name}`, isFolder);
}

/** Computes the id of a folder that is not as it was, and adds it to the new cache. */
function addFolder(walk: Walk, folder: Folder, entries: Entries): NodeID {
  const { path, names, rules, isPlain } = folder;
  const shown = maskNames(walk, names, entries, isPlain);
  const nodes: NamedNode[] = [];
  for (const [index, name] of shown.entries()) {
    const own = entries.codes[index] ?? code.VANISHED;
    const id = entries.ids.toString('hex', index * 32, index * 32 + 32);
    if (code.isInTree(own)) nodes.push({ name, kind: code.kindOfCode(own), id });
  }
  const id = folderId(nodes);
  const times = timesOf(walk, folder, shown !== names || entries.codes.includes(code.VANISHED));
  walk.builder.add({ path, names: shown.join('/'), id, rules: rules.version, times }, entries);
  return id;
}

/** The names of an odd folder are not as the next walk will see them, so that it has to read them. */
const timesOf = (walk: Walk, { own }: Folder, isOdd: boolean): FolderTimes | null =>
  isOdd || own.dev !== walk.device ? null : folderTimes(own, walk.settledBefore);

/** A name with a secret in it is recorded without the secret, and its content not at all. */
function maskNames(
  { redact }: Walk,
  names: readonly ByteString[],
  entries: Entries,
  isPlain: boolean,
): readonly ByteString[] {
  const text = (isPlain ? names : names.map(toPathText)).join('\n');
  if (redact(text) === text) return names;
  return names.map((name, index) => {
    const masked = toBytes(redact(toPathText(name))).replaceAll('/', '_');
    if (masked === name) return name;
    setSkipped(entries, index, code.SECRET_NAME);
    return `${masked}.${index}`;
  });
}

function* enterFolder(
  walk: Walk,
  folder: Folder,
  { index, prior, own }: { index: number; prior: number; own: Stats },
): Generator<number, void> {
  const name = folder.names[index] ?? '';
  const path = folder.path === '' ? name : `${folder.path}/${name}`;
  try {
    const { id, isSame } = yield* walkFolder(walk, { path, folder: `${folder.folder}/${name}`, own }, folder.rules);
    if (isSame && folder.isAligned && walk.cache.codes[prior] === code.FOLDER) return;
    const entries = entriesOf(walk, folder);
    entries.codes[index] = code.FOLDER;
    Buffer.from(id, 'hex').copy(entries.ids, index * 32);
    entries.stats.fill(0, index * STATS, (index + 1) * STATS);
  } catch (error) {
    setFailed(walk, error, entriesOf(walk, folder), index);
  }
}

/** Sets an entry that is no folder to be entered, and is not as the cache has it. */
function readEntry(
  walk: Walk,
  folder: Folder,
  { index, file, stats }: { index: number; file: string | Buffer; stats: Stats | undefined },
): void {
  if (stats === undefined) {
    walk.vanished += 1;
    return setSkipped(entriesOf(walk, folder), index, code.VANISHED);
  }
  if (isLeftOut(walk, folder, index, stats.isDirectory())) {
    const wasIgnored = folder.isAligned && walk.cache.codes[folder.priorOf(index)] === code.IGNORED;
    return wasIgnored ? undefined : setSkipped(entriesOf(walk, folder), index, code.IGNORED);
  }
  const entries = entriesOf(walk, folder);
  try {
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(file, 'latin1');
      setEntry(entries, index, code.LINK, linkId(target), stats);
    } else if (!stats.isFile()) setSkipped(entries, index, code.SPECIAL);
    else hashEntry(walk, entries, index, file);
  } catch (error) {
    setFailed(walk, error, entries, index);
  }
}

/** Sets a file of a folder that the cache does not know: there is nothing to compare, so it is opened at once. */
function readNewFile(walk: Walk, folder: Folder, index: number, file: string | Buffer): void {
  const entries = entriesOf(walk, folder);
  if (isLeftOut(walk, folder, index, false)) return setSkipped(entries, index, code.IGNORED);
  try {
    hashEntry(walk, entries, index, file);
  } catch (error) {
    setFailed(walk, error, entries, index);
  }
}

function hashEntry(walk: Walk, entries: Entries, index: number, file: string | Buffer): void {
  const hashed = walk.hashFile(file);
  if (hashed === 'special') return setSkipped(entries, index, code.SPECIAL);
  if (hashed === 'too-large') return setSkipped(entries, index, code.TOO_LARGE);
  const { id, size, stats } = hashed;
  walk.read += 1;
  setEntry(entries, index, code.FILE, id, stats);
  const isSettled = size === stats.size && Math.max(stats.mtimeMs, stats.ctimeMs) < walk.settledBefore;
  entries.stats[index * STATS] = size;
  if (!isSettled) entries.stats[index * STATS + 1] = Number.NaN;
}

function setFailed(walk: Walk, error: unknown, entries: Entries, index: number): void {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    walk.vanished += 1;
    setSkipped(entries, index, code.VANISHED);
  } else setSkipped(entries, index, code.UNREADABLE);
}

/** Whether the cache has the content of a file or link (W2). */
function isKnown({ cache: { stats, codes }, force }: Walk, prior: number, now: Stats): boolean {
  const at = prior * STATS;
  const own = codes[prior];
  return (
    !force &&
    (own === code.FILE || own === code.LINK) &&
    stats[at] === now.size &&
    stats[at + 1] === now.mtimeMs &&
    stats[at + 2] === now.ctimeMs &&
    stats[at + 3] === now.ino
  );
}

function rulesIn(above: IgnoreRules, path: ByteString, folder: ByteString, names: readonly string[]): IgnoreRules {
  const hasFiles = IGNORE_FILES.some((name) => names.includes(name));
  if (!hasFiles) return above;
  return addIgnoreFiles(above, path, names, (name) => readIgnoreFile(toFsPath(`${folder}/${name}`, isAscii(folder))));
}

/** A name that is not ASCII is passed as bytes: it need not be UTF-8. */
const toFsPath = (path: ByteString, isPlain: boolean): string | Buffer =>
  isPlain ? path : Buffer.from(path, 'latin1');
