/** Owns: where the notes of this user about a home are, and the files with its anchors: there, and beside the pen. */
import { hash } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Pen } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { userPlaces } from '../settings.ts';

/** Names of folders with notes about whatever home is in this folder. */
export function notesAbout(home: Home): string[] {
  const ending = `.${folderHash(home)}`;
  return listNotes().filter((name) => name.endsWith(ending));
}

export function listNotes(): string[] {
  try {
    return readdirSync(userPlaces().notes);
  } catch {
    return []; // no notes yet, or none that this user may read
  }
}

export const folderHash = (home: Home): string => hash('sha256', realFolder(home)).slice(0, 16);

export function realFolder({ dir }: Home): string {
  try {
    return realpathSync.native(dir); // one call for the whole path, which every start resolves several times
  } catch {
    return dir;
  }
}

export const notesFile = (notes: string, pen: Pen): string => join(notes, `${pen}_ledger.head.json`);

export const penFile = ({ ledgers }: Home, pen: Pen): string =>
  join(dirname(ledgers[pen]), 'locks', `${basename(ledgers[pen], '.jsonl')}.head.json`);
