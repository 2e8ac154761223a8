/**
 * Owns: that a path named in a call stays below the desk. Does not own: what is done there.
 *
 * P1 A path is refused by its text first: NUL, `..`, absolute and elsewhere.
 * P2 Links are resolved, and the folder they lead to is opened. What must lie below the desk is the opened folder, not
 *    its name; all else goes by its descriptor, so that a folder swapped for a link in between leads nowhere.
 * P3 The last part is never followed, and nothing but a regular file is opened: a pipe would hang, a device would act.
 *
 * Without /proc (macOS) names are used after the check, and P2 has a gap between check and use.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { errnoOf, messageOf, OkaError } from '../../schema/errors.ts';
import { failure, Refused } from './define.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const BY_DESCRIPTOR = existsSync('/proc/self/fd');

export const Path = z.string().min(1).max(1000).describe('Path below the desk.');

/** A name in an opened folder; whether anything has this name is not said. `path` is what the caller called it. */
export type Place = { folder: Folder; name: string; path: string };

/** `links` names what a link leads to, or the link itself; `make` makes the folders on the way. */
export type Way = { links: 'followed' | 'named'; make?: boolean };

export async function atPlace<T>(desk: string, path: string, way: Way, act: (place: Place) => Promise<T>): Promise<T> {
  return await explained(path, async () => {
    const top = await realpath(desk);
    const named = join(top, ...partsOf(desk, path));
    const target = way.links === 'followed' ? ((await realOf(named)) ?? named) : named;
    if (target === top) throw failure(`${path} is the desk itself`, 'Name something in it.');
    await using folder = await enter(top, dirname(target), path, way.make);
    return await act({ folder, name: basename(target), path });
  });
}

export async function inFolder<T>(desk: string, path: string, act: (folder: Folder) => Promise<T>): Promise<T> {
  return await explained(path, async () => {
    const top = await realpath(desk);
    await using folder = await enter(top, join(top, ...partsOf(desk, path)), path);
    return await act(folder);
  });
}

/** A folder that is held open, wherever its name may lead by now. */
export class Folder implements AsyncDisposable {
  readonly handle: FileHandle;
  readonly real: string;

  constructor(handle: FileHandle, real: string) {
    this.handle = handle;
    this.real = real;
  }

  at(name = ''): string {
    return join(BY_DESCRIPTOR ? `/proc/self/fd/${this.handle.fd}` : this.real, name);
  }

  async enter(name: string): Promise<Folder> {
    const link = (await lstat(this.at(name))).isSymbolicLink();
    if (link) throw new Refused(`${name} is a link that leads nowhere`, 'Remove it first.');
    return new Folder(await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW), join(this.real, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
  }
}

export async function openRegular({ folder, name, path }: Place): Promise<{ file: FileHandle; stats: Stats }> {
  assertRegular(await lstat(folder.at(name)), path);
  const file = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const stats = await file.stat();
  if (stats.isFile()) return { file, stats };
  await file.close();
  throw new Refused(`${path} has just become something else`, 'Only regular files are read and written.');
}

export function assertRegular(found: Stats, path: string): void {
  if (found.isFile()) return;
  if (found.isDirectory()) throw failure(`${path} is a folder`, 'Name a file, or use files.list.');
  const what = found.isSymbolicLink() ? 'a link that leads nowhere' : 'a pipe, a socket or a device';
  throw new Refused(`${path} is ${what}`, 'Only regular files are read and written.');
}

function partsOf(desk: string, path: string): string[] {
  const fix = 'Give a path relative to the desk.';
  if (path.includes('\0')) throw new Refused('the path has a NUL in it', fix);
  if (path.split('/').includes('..')) throw new Refused(`${path} has .. in it`, fix);
  const inside = isAbsolute(path) ? relative(resolve(desk), path) : path;
  if (isOutside(inside)) throw new Refused(`${path} is outside the desk`, fix);
  return inside.split('/').filter((part) => part !== '' && part !== '.');
}

const isOutside = (fromTop: string): boolean => isAbsolute(fromTop) || fromTop.split('/')[0] === '..';

/** Enters the deepest folder that is there and goes on from it by descriptor, making the rest if asked to. */
async function enter(top: string, folder: string, path: string, make = false): Promise<Folder> {
  const real = await realOf(folder);
  if (real !== null) return await enterBelow(top, real, path);
  await using parent = await enter(top, dirname(folder), path, make);
  if (make) await makeFolder(parent.at(basename(folder)));
  return await parent.enter(basename(folder));
}

async function enterBelow(top: string, real: string, path: string): Promise<Folder> {
  const fix = 'Only what lies in the desk can be used.';
  if (isOutside(relative(top, real))) throw new Refused(`${path} leads out of the desk`, fix);
  const handle = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const opened = BY_DESCRIPTOR ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(real);
  if (!isOutside(relative(top, opened))) return new Folder(handle, opened);
  await handle.close();
  throw new Refused(`${path} leads out of the desk`, fix);
}

/** Null when it, or what it links to, is not there. */
async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

const WORDS: Record<string, readonly [what: string, fix: string]> = {
  ENOENT: ['is not there', 'See what is with files.list.'],
  ENOTDIR: ['goes through something that is not a folder', 'See what is there with files.list.'],
  EISDIR: ['is a folder', 'Name a file.'],
  ELOOP: ['is a link, or a circle of links', 'Name the file itself.'],
  EACCES: ['is not open to this user', 'Change its mode, or use another path.'],
  EPERM: ['is not open to this user', 'Change its mode, or use another path.'],
  ENOSPC: ['finds no space on the disk', 'Remove something first.'],
  ENAMETOOLONG: ['is too long a name', 'Use a shorter one.'],
  ENOTEMPTY: ['is a folder with something in it', 'Set recursive to remove all of it.'],
  EINVAL: ['lies in what is to be moved', 'Name another place.'],
};

/** Turns an errno into words about `path`. */
export async function explained<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = errnoOf(error);
    if (error instanceof OkaError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    const [what, fix] = WORDS[code] ?? [`does not work: ${messageOf(error)}`, 'Try another path.'];
    throw failure(`${path} ${what}`, fix, error);
  }
}
