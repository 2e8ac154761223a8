/** Owns: the inbox's own folders, and moving entries between them, never across mounts. */
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeErrno, listFolder, lstatIfPresent, makeFolder } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { Vanished } from './plain-file.ts';

/** Where `oka add` puts a task, which counts as delivered at once: a folder with one file or folder in it. */
export const newFolder = (inbox: string): string => join(inbox, '.new');
/** Claimed tasks that may not be in the ledger yet, each in a folder named after the task's id. */
export const claimedFolder = (inbox: string): string => join(inbox, '.claimed');
/** How the folder of a claim is called that has no id yet. */
export const TAKING = '.taking-';
/** Entries that are not tasks, each with a file that gives the reason. */
export const rejectedFolder = (inbox: string): string => join(inbox, REJECTED);
export const REJECTED = 'rejected';
const OLD_REJECTED = '.rejected';

/** Whether a task is claimed and not finished; a claim that has no id yet may be of any task. */
export function mayBeClaimed(inbox: string, id: string): boolean {
  return listFolder(claimedFolder(inbox)).some((name) => name === id || name.startsWith(TAKING));
}

/** For those who only show what is there: a folder that is missing, or that this user may not read, has no names. */
export function shownNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

/** Makes what earlier versions put into a hidden folder visible; where both folders exist, its entries are moved over. */
export function showOldRejected(inbox: string): void {
  const old = join(inbox, OLD_REJECTED);
  if (lstatIfPresent(old)?.isDirectory() !== true) return;
  const folder = ownFolder(rejectedFolder(inbox));
  for (const name of readdirSync(old))
    if (lstatIfPresent(join(folder, name)) === undefined) move(join(old, name), join(folder, name));
  removeIfEmpty(old);
}

/** Creates the folder if it is missing. A symbolic link is refused. */
export function ownFolder(folder: string): string {
  makeFolder(folder);
  if (lstatIfPresent(folder)?.isDirectory() === true) return folder;
  throw new OkaError('unsafe-file', `${folder} is not a folder of its own`, { fix: 'Move it away.' });
}

export function makeNew(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw describeErrno(error, folder);
  }
}

export type Rename = (from: string | Buffer, to: string | Buffer) => void;

/** False if the target exists. */
export function move(from: string | Buffer, to: string, rename: Rename = renameSync): boolean {
  try {
    rename(from, to);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    if (code === 'ENOENT' && lstatIfPresent(join(to, '..')) !== undefined) throw new Vanished('', { cause: error });
    if (code !== 'EXDEV' && code !== 'EBUSY') throw describeErrno(error, from.toString());
    throw new OkaError('not-permitted', `${from.toString()} cannot be claimed: the inbox spans several mounts`, {
      fix: 'Mount the inbox as one folder, with everything in it.',
      cause: error,
    });
  }
}

/** Does nothing if the folder is not empty. */
export function removeIfEmpty(folder: string | Buffer): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    assertNotEmpty(error, folder);
  }
}

/** The same without blocking. */
export async function removeIfEmptyAsync(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => assertNotEmpty(error, folder));
}

/** Throws unless the folder was left since there is something in it, or since it is not there. */
function assertNotEmpty(error: unknown, folder: string | Buffer): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? ''))
    throw describeErrno(error, folder.toString());
}
