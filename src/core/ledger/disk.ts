/**
 * Owns: every method by which oka writes a complete file. A reader, also after a crash, finds the old content or the new, never a part.
 * Does not own: appending to the ledger (live-file.ts). `guard/` may not import this file and gets it as a `FileWriter`.
 *
 * 1. A file is written under a temporary name in its own folder, flushed if it must survive a power cut, and renamed.
 * 2. A temporary file is always a new one: a link, a pipe or the remains of a crash under its name are removed, never
 *    opened.
 * 3. A write that fails, for example because the disk is full, leaves the old file and no temporary file behind.
 * 4. Files and folders below `.oka`, except for installed tools, are created for their user only.
 */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, messageOf, OkaError, type OkaErrorCode } from '../schema/errors.ts';
import type { FileWriter, Flush, WriteOptions } from '../schema/ports.ts';

export const diskFlush: Flush = {
  now: fdatasyncSync,
  later: (fd) =>
    new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
};

type Path = string | Buffer;
type Content = string | Uint8Array;

/** Replaces `file` atomically. */
export function replaceFile(file: string, content: Content, options: WriteOptions & { temporary?: string } = {}): void {
  const temporary = options.temporary ?? `${file}.${process.pid}.tmp`;
  try {
    writeAndClose(openTemporary(temporary, options.mode), content, options);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw describeErrno(error, file);
  }
  if (options.durable) syncFolder(dirname(file));
}

/**
 * The same for a file that people see, and that only one process at a time writes: a process that was killed leaves nothing
 * behind once the next one has written the file.
 */
export const replaceShownFile = (file: string, content: Content, options: WriteOptions = {}): void =>
  replaceFile(file, content, { ...options, temporary: join(dirname(file), `.oka-${basename(file)}`) });

/** Creates `file`, and its folder if needed. Fails with EEXIST instead of replacing anything. */
export function createFile(file: string, content: Content, options: WriteOptions & { folderMode?: number } = {}): void {
  const chance = process.getBuiltinModule('node:crypto').randomBytes(4); // takes a while to load, and reading needs none
  const temporary = `${file}.${process.pid}.${chance.toString('hex')}.tmp`;
  makeFolder(dirname(file), options.folderMode);
  try {
    writeNewFile(temporary, content, options);
    linkSync(temporary, file);
  } catch (error) {
    throw describeErrno(error, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  if (options.durable) syncFolder(dirname(file));
}

/** For rooms that may not import this file. */
export const diskWriter: FileWriter = { replace: replaceFile, create: createFile };

/**
 * Writes a file under a name that must be free: for callers who rename it themselves, for example together with other
 * files. Throws the error of the file system unchanged; the unfinished file is the caller's to remove.
 */
export function writeNewFile(file: Path, content: Content, options: WriteOptions = {}): void {
  const { mode = 0o644, exactMode } = options;
  writeAndClose(openSync(file, NEW_FILE, exactMode ? mode & 0o600 : modeFor(file, mode)), content, options);
}

function writeAndClose(fd: number, content: Content, options: WriteOptions): void {
  const { mode = 0o644, exactMode, mtimeMs, durable } = options;
  try {
    writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
    if (exactMode) fchmodSync(fd, mode);
    if (mtimeMs !== undefined) futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces a file atomically without blocking, also by content that comes in chunks. Flushes the content; flushing the
 * folder is left to the caller, who may have it open. Throws the error of the file system unchanged.
 */
export async function replaceFileAsync(
  file: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: Omit<WriteOptions, 'durable' | 'mtimeMs'> & { temporary?: string } = {},
): Promise<void> {
  const temporary = options.temporary ?? `${file}.${process.pid}.tmp`;
  const mode = options.mode ?? 0o644;
  try {
    await using handle = await openTemporaryAsync(temporary, mode);
    await handle.writeFile(content);
    if (options.exactMode) await handle.chmod(mode);
    await handle.sync();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Below `.oka`, but for installed tools. */
const PRIVATE = /\/\.oka(?:$|\/(?!tools(?:\/|$)))/;

/** What is in `.oka` is for its user only (4). */
function modeFor(path: Path, mode: number): number {
  return PRIVATE.test(path.toString()) ? mode & 0o700 : mode;
}

/** Creates an empty file for this user only, unless there is one: SQLite would create it with a wider mode. */
export function touchPrivate(file: string): void {
  closeSync(openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Opens a temporary file for writing. What has its name already is from a crash, or was put there to do harm (2). */
export function openTemporary(file: string, wanted = 0o644): number {
  const mode = modeFor(file, wanted);
  try {
    return openSync(file, NEW_FILE, mode);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    rmSync(file, { force: true });
    return openSync(file, NEW_FILE, mode);
  }
}

async function openTemporaryAsync(file: string, wanted: number): Promise<FileHandle> {
  const mode = modeFor(file, wanted);
  try {
    return await open(file, NEW_FILE, mode);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    await rm(file, { force: true });
    return await open(file, NEW_FILE, mode);
  }
}

/** Writes all bytes, also when the file system takes only some of them at a time. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same without blocking. */
export async function syncFolderAsync(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync();
}

/** Creates a folder and those above it, durably. */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    const first = mkdirSync(folder, { recursive: true, mode: modeFor(folder, mode) });
    if (first !== undefined) syncFolder(dirname(first));
  } catch (error) {
    throw describeErrno(writeProblem(folder) ?? error, folder);
  }
}

/** Why nothing can be written at `path`: below a folder on a read-only mount, Node reports that it does not exist. */
export function writeProblem(path: string): unknown {
  let folder = path;
  while (lstatIfPresent(folder) === undefined && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return error;
  }
}

/** Refuses anything but a regular file, without opening it: opening a FIFO would hang. */
export function assertRegularFile(file: string): void {
  const found = lstatIfPresent(file);
  if (found === undefined || found.isFile()) return;
  const what = found.isSymbolicLink()
    ? 'a symbolic link'
    : found.isFIFO()
      ? 'a pipe'
      : found.isDirectory()
        ? 'a folder'
        : 'a special file';
  throw new OkaError('unsafe-file', `${file} is ${what}, but must be a regular file`, {
    fix: 'Move it away and start again.',
  });
}

/** The names in a folder; none when it is not there. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw describeErrno(error, folder);
  }
}

/** The status of what is there, without following links; undefined when nothing is. */
export function lstatIfPresent(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw describeErrno(error, file);
  }
}

/** Changes whenever the file is replaced. For a file that cannot be inspected, it is the error message. */
export function stampOf(file: string): string {
  try {
    const found = lstatIfPresent(file);
    return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Turns an error of the file system into one that says what to do about it; other errors stay as they are. */
export function describeErrno(error: unknown, path: string): unknown {
  const uid = process.getuid?.() ?? 'UID';
  const notPermitted = [
    'not-permitted',
    `this user (uid ${uid}) may not access ${path}`,
    `Give it to this user: sudo chown -R ${uid} ${dirname(path)} && chmod -R u+rwX ${dirname(path)}`,
  ] as const;
  const noSpace = [
    'disk-full',
    `no space left for ${path}`,
    'Free some space; work then continues automatically.',
  ] as const;
  const notThere = ['not-set-up', `${path} does not exist`, 'Run: oka init'] as const;
  const known: Record<string, readonly [OkaErrorCode, string, string]> = {
    EACCES: notPermitted,
    EPERM: notPermitted,
    EROFS: ['not-permitted', `${path} is on a read-only file system`, 'Mount it writable.'],
    ENOSPC: noSpace,
    EDQUOT: noSpace,
    ENOENT: notThere,
    ENOTDIR: notThere,
    ELOOP: ['unsafe-file', `${path} is a symbolic link, but must be a regular file`, 'Move it away and start again.'],
    ENAMETOOLONG: ['usage', `"${path.slice(0, 80)}…" is too long for the name of a file`, 'Use a shorter one.'],
  };
  const words = known[errnoOf(error) ?? ''];
  return words === undefined ? error : new OkaError(words[0], words[1], { fix: words[2], cause: error });
}

/** Whether an SQLite error means that the file is not a database, or a damaged one. */
export function isDamagedDatabase(error: unknown): boolean {
  return /malformed|not a database|disk image|no such (?:table|column)/.test(messageOf(error));
}

/** Whether both are the status of the same file. */
export function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
