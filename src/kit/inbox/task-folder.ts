/**
 * Owns: the files of a task folder besides TASK.md. Does not own: copying them.
 *
 * B1 It contains only folders, regular files without other hard links, and symbolic links; otherwise the folder is not a
 *    task. Links that could lead out of the folder are left out.
 * B2 Number, depth and bytes are bounded, and checked before any content is read.
 */
import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { join, posix } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { assertPlain, formatBytes, kindOf, NotATask, unreadableReason, Vanished, withPlain } from './plain-file.ts';
import { hasControls, isLitter, isUnfinished, printableName, decodeUtf8 } from './entry-name.ts';

export type FolderLimits = { mostFiles: number; mostFolderBytes: number };
export type FolderFile = { path: string; bytes: number; sha256: string; executable: boolean; mtimeMs: number };
export type FolderLink = { path: string; target: string };
/** What a folder contains besides TASK.md, whose name is `task`; `leftOut` are links that could lead out of it. */
export type FolderList = { task: string; files: string[]; links: FolderLink[]; leftOut: string[] };
export const TASK = 'TASK.md';

const DEEPEST = 20;
const CHUNK = 256 * 1024;

type Found = { path: string; stats: Stats };

/** A text that differs whenever anything in the folder may have changed. */
export function stampOfFolder(folder: string | Buffer, limits: FolderLimits): string {
  const hash = createHash('sha256');
  for (const { path, stats } of contentOf(folder, limits)) hash.update(`${path}\0${stampOf(stats)}\n`);
  return hash.digest('hex');
}

export const stampOf = ({ dev, ino, size, mtimeMs, mode }: Stats): string => [dev, ino, size, mtimeMs, mode].join(' ');

/** The hash of every path and its content; null if the folder is not a task, or not yet. */
export function digestOfFolder(folder: string, limits: FolderLimits): string | null {
  try {
    const { task, files, links } = listFiles(folder, limits);
    const digest = createHash('sha256');
    for (const path of [task, ...files]) digest.update(`${path}\0${hashFile(folder, path).sha256}\n`);
    for (const { path, target } of links) digest.update(`${path}\0${target}\n`);
    return digest.digest('hex');
  } catch (error) {
    if (error instanceof NotATask || error instanceof Vanished) return null;
    throw error;
  }
}

/** Everything but TASK.md, sorted by path; files with the hash of their content. */
export function filesOf(folder: string, limits: FolderLimits): Omit<FolderList, 'files'> & { files: FolderFile[] } {
  const list = listFiles(folder, limits);
  return { ...list, files: list.files.map((path) => hashFile(folder, path)) };
}

/** The paths alone; throws if the folder is not a task. */
export function listFiles(folder: string, limits: FolderLimits): FolderList {
  const content = contentOf(folder, limits);
  const found = content.flatMap(({ path, stats }) => (stats.isFile() ? [path] : []));
  if (content.some(({ path, stats }) => path.toUpperCase() === TASK.toUpperCase() && stats.isSymbolicLink()))
    throw new NotATask(`${TASK} in it is a symbolic link; only regular files are read`);
  const task = taskNameIn(found);
  const onItsWay = found.find((path) => path.split('/').some(isUnfinished));
  if (onItsWay !== undefined) throw new NotATask(`${onItsWay} in it is not finished`, { unfinished: true });
  const links = content.flatMap(({ path, stats }) =>
    stats.isSymbolicLink() ? [{ path, target: asVanished(() => readlinkSync(join(folder, path))) }] : [],
  );
  const leftOut = links.filter((link) => !staysInside(link)).map(({ path }) => path);
  return { task, files: found.filter((path) => path !== task), links: links.filter(staysInside), leftOut };
}

/**
 * Whether a link cannot lead out of the folder: it goes up from its own place first, no higher than the folder, and then
 * only down, where every other link stays inside as well.
 */
function staysInside({ path, target }: FolderLink): boolean {
  if (target.startsWith('/')) return false;
  const down = target.replace(/^(?:\.\.?(?:\/|$))*/, '');
  if (down.split('/').includes('..') || hasControls(target)) return false;
  const joined = posix.join(posix.dirname(path), target);
  return joined !== '..' && !joined.startsWith('../');
}

/** TASK.md in any case; where there are several, only the exact name decides. */
function taskNameIn(found: readonly string[]): string {
  const names = found.filter((path) => path.toUpperCase() === TASK.toUpperCase());
  const name = names.find((each) => each === TASK) ?? names[0];
  if (name === undefined) throw new NotATask(`it contains no ${TASK}`, { unfinished: true });
  if (names.length > 1 && name !== TASK)
    throw new NotATask(`it contains ${names.join(' and ')}; call the one that counts ${TASK}`);
  return name;
}

function hashFile(folder: string, path: string): FolderFile {
  return below(path, () =>
    withPlain(join(folder, path), (fd, stats) => {
      const hash = createHash('sha256');
      const bytes = readInto(hash, fd);
      return {
        path,
        bytes,
        sha256: hash.digest('hex'),
        executable: (stats.mode & 0o100) !== 0,
        mtimeMs: stats.mtimeMs,
      };
    }),
  );
}

function readInto(hash: Hash, fd: number): number {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let bytes = 0;
  for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
    hash.update(chunk.subarray(0, read));
    bytes += read;
  }
  return bytes;
}

function contentOf(folder: string | Buffer, limits: FolderLimits): Found[] {
  const found: Found[] = [];
  let bytes = 0;
  const enter = (at: string, depth: number): void => {
    if (depth > DEEPEST) throw new NotATask(`it is nested more than ${DEEPEST} folders deep`);
    for (const name of namesIn(folder, at)) {
      const path = at === '' ? name : `${at}/${name}`;
      const stats = statEntry(folder, path);
      bytes += stats.size;
      found.push({ path, stats });
      if (found.length > limits.mostFiles) throw new NotATask(`it contains more than ${limits.mostFiles} files`);
      if (bytes > limits.mostFolderBytes)
        throw new NotATask(`it contains more than ${formatBytes(limits.mostFolderBytes)}`);
      if (stats.isDirectory()) enter(path, depth + 1);
      else if (!stats.isSymbolicLink()) below(path, () => assertPlain(stats));
    }
  };
  enter('', 1);
  return found;
}

/** Sorted, without files that programs leave behind. */
function namesIn(folder: string | Buffer, at: string): string[] {
  const names = asVanished(() => readdirSync(locateProblem(folder, at), { encoding: 'buffer' })).map((bytes) => {
    const name = decodeUtf8(bytes);
    if (name !== null && !hasControls(name)) return name;
    throw new NotATask(`a name in it is not plain text: ${printableName(bytes)}`);
  });
  return names.filter((name) => !isLitter(name)).toSorted();
}

function statEntry(folder: string | Buffer, path: string): Stats {
  const stats = asVanished(() => lstatSync(locateProblem(folder, path)));
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink())
    throw new NotATask(`${path} in it is ${kindOf(stats)}`);
  return stats;
}

const locateProblem = (folder: string | Buffer, path: string): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from(`/${path}`)]);

function below<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotATask)
      throw new NotATask(`${path} in it: ${error.message}`, { unreadable: error.unreadable, cause: error });
    throw error;
  }
}

function asVanished<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new Vanished('', { cause: error });
    if (code === 'EACCES') throw new NotATask(unreadableReason('something in it'), { unreadable: true, cause: error });
    throw error;
  }
}
