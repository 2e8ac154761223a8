/** Owns: events as they were before oka changed them, for undo; they are stored beside the states of the desk. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../../core/ledger/disk.ts';
import { errnoOf } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { undoFolder } from '../../../kit/runs/undo-folder.ts';

export type FormerEvents = {
  /** Durable when it returns. What is kept under a mark stays what it is. */
  keep: (mark: string, ics: string) => void;
  find: (mark: string) => string | null;
};

export function formerEvents(home: Home): FormerEvents {
  const fileOf = (mark: string): string => join(folderOf(home), `${mark}.ics`);
  return {
    keep: (mark, ics) => {
      try {
        createFile(fileOf(mark), ics, { mode: 0o600, folderMode: 0o700, durable: true });
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error; // an attempt before this one has kept the same
      }
    },
    find: (mark) => {
      try {
        return readFileSync(fileOf(mark), 'utf8');
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

/** Removes those that are older, as the states of the desk are. */
export function pruneFormerEvents(home: Home, keepMs: number): void {
  const folder = folderOf(home);
  try {
    for (const name of readdirSync(folder))
      if (Date.now() - statSync(join(folder, name)).mtimeMs > keepMs) rmSync(join(folder, name), { force: true });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

const folderOf = (home: Home): string => join(undoFolder(home), 'events');
