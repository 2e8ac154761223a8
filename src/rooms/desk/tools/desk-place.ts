/**
 * Owns: that a path named in a call stays below the desk. Does not own: what is done there.
 *
 * P1 A path is refused by its text first: NUL, what no eye can see, `..`, absolute and elsewhere.
 * P2 It is reached through descriptors (path-walk.ts), so that a folder swapped for a link leads nowhere.
 * P3 The last part is not followed when it is opened, and nothing but a regular file is opened: a pipe would hang, a
 *    device would act. It is first opened by a descriptor without rights and checked, and only then opened through it.
 * P4 A file that has a second name and belongs to somebody else is not opened: the other name is theirs.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { errnoOf, messageOf, OkaError } from '../../../core/schema/errors.ts';
import { failure, Refused } from '../../../kit/define-tool.ts';
import { BY_DESCRIPTOR, type Folder } from './folder-handle.ts';
import { openTrail, type WalkOptions, walkInto, walkTo } from './path-walk.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Linux only, and not among Node's constants: a descriptor of the name, without opening what it names. */
const O_PATH = 0o10000000;

export const Path = z.string().min(1).max(1000).describe('Path below the desk.');

/** A name in an opened folder; it may not exist. `path` is what the caller called it, `real` where links have led to. */
export type Place = { folder: Folder; name: string; path: string; real?: string };

export async function withPlace<T>(
  desk: string,
  path: string,
  way: WalkOptions,
  act: (place: Place) => Promise<T>,
): Promise<T> {
  return await describeErrno(path, async () => {
    await using trail = await openTrail(desk, path);
    const name = await walkTo(trail, way);
    if (name === null) throw failure(`${path} is the desk itself`, 'Name something in it.');
    const led = trail.links > 0 ? { real: relative(trail.top.real, join(trail.here.real, name)) } : {};
    return await act({ folder: trail.here, name, path, ...led });
  });
}

export async function withFolder<T>(desk: string, path: string, act: (folder: Folder) => Promise<T>): Promise<T> {
  return await describeErrno(path, async () => {
    await using trail = await openTrail(desk, path);
    await walkInto(trail);
    return await act(trail.here);
  });
}

export async function openRegular({ folder, name, path }: Place): Promise<{ file: FileHandle; stats: Stats }> {
  if (!BY_DESCRIPTOR) return await openByName(folder.at(name), path);
  await using handle = await open(folder.at(name), O_PATH | O_NOFOLLOW);
  const stats = await handle.stat();
  assertOurs(stats, path);
  return { file: await open(`/proc/self/fd/${handle.fd}`, O_RDONLY | O_NONBLOCK), stats };
}

/** The file that is opened may differ from the one that was checked, so it is checked again. */
async function openByName(name: string, path: string): Promise<{ file: FileHandle; stats: Stats }> {
  assertOurs(await lstat(name), path);
  const file = await open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await file.stat();
    assertOurs(stats, path);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function assertOurs(found: Stats, path: string): void {
  assertRegular(found, path);
  const theirs = found.nlink > 1 && found.uid !== process.getuid?.();
  if (theirs) throw new Refused(`${path} has a second name elsewhere and belongs to somebody else`, 'Copy it first.');
}

export function assertRegular(found: Stats, path: string): void {
  if (found.isFile()) return;
  if (found.isDirectory()) throw failure(`${path} is a folder`, 'Name a file, or use files.list.');
  const what = found.isSymbolicLink() ? 'a link that leads nowhere' : 'a pipe, a socket or a device';
  throw new Refused(`${path} is ${what}`, 'Only regular files are read and written.');
}

const ERRNO_TEXTS: Record<string, readonly [what: string, fix: string]> = {
  ENOENT: ['is not there', 'See what is with files.list.'],
  ENOTDIR: ['goes through something that is not a folder', 'See what is there with files.list.'],
  EISDIR: ['is a folder', 'Name a file.'],
  ELOOP: ['is a link, or a circle of links', 'Name the file itself.'],
  EACCES: ['is not open to this user', 'Change its mode, or use another path.'],
  EPERM: ['is not open to this user', 'Change its mode, or use another path.'],
  ENOSPC: ['finds no space on the disk', 'Remove something first.'],
  ENAMETOOLONG: ['is too long a name', 'Use a shorter one.'],
  ENOTEMPTY: ['is a folder with something in it', 'Set recursive to remove all of it.'],
  EINVAL: ['is inside what is to be moved', 'Name another place.'],
};

/** Turns an errno into words about `path`. */
export async function describeErrno<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = errnoOf(error);
    if (error instanceof OkaError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    const [what, fix] = ERRNO_TEXTS[code] ?? [`does not work: ${messageOf(error)}`, 'Try another path.'];
    throw failure(`${path} ${what}`, fix, error);
  }
}
