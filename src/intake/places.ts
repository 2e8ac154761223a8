/** Owns: the folders that the inbox keeps for itself, and moving things between them, never across mounts. */
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { explained, lookAt, makeFolder } from '../ledger/disk.ts';
import { errnoOf, OkaError } from '../schema/errors.ts';
import { Vanished } from './plain-file.ts';

/** What `oka add` writes, and what counts as delivered as soon as it is there: a folder with one file or folder in it. */
export const newFolder = (inbox: string): string => join(inbox, '.new');
/** What was taken and is not known to be in the ledger yet, each in a folder named after the task's id. */
export const claimedFolder = (inbox: string): string => join(inbox, '.claimed');
/** What is not a task, with the reason beside it. */
export const rejectedFolder = (inbox: string): string => join(inbox, '.rejected');

/** Made if missing. A link in its place is refused: it would lead elsewhere. */
export function ownFolder(folder: string): string {
  makeFolder(folder);
  if (lookAt(folder)?.isDirectory() === true) return folder;
  throw new OkaError('unsafe-file', `${folder} is not a folder of its own`, { fix: 'Move it away.' });
}

export function makeNew(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw explained(error, folder);
  }
}

export type Rename = (from: string | Buffer, to: string | Buffer) => void;

/** False when the target is taken. */
export function move(from: string | Buffer, to: string, rename: Rename = renameSync): boolean {
  try {
    rename(from, to);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    if (code === 'ENOENT' && lookAt(join(to, '..')) !== undefined) throw new Vanished('', { cause: error });
    if (code !== 'EXDEV' && code !== 'EBUSY') throw explained(error, from.toString());
    throw new OkaError('not-permitted', `${from.toString()} cannot be taken: the inbox is not one mount`, {
      fix: 'Mount the inbox as one folder, with all that is in it.',
      cause: error,
    });
  }
}

/** Leaves it when something is in it. */
export function removeIfEmpty(folder: string | Buffer): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? ''))
      throw explained(error, folder.toString());
  }
}
