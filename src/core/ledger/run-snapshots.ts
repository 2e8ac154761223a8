/** Snapshots of runs, one file each, so that a long run need not be folded from its first event again. */
import { lstatSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../schema/json.ts';
import type { RunStore } from '../schema/ports.ts';
import { makeFolder, replaceFile } from './disk.ts';

export function openRunSnapshots(folder: string): RunStore {
  return {
    save: async (run, snapshot) => {
      makeFolder(folder);
      replaceFile(join(folder, `${run}.json`), JSON.stringify(snapshot));
    },
    load: async (run) => {
      const file = join(folder, `${run}.json`);
      return lstatSync(file, { throwIfNoEntry: false })?.isFile()
        ? parseSnapshot(file, await readFile(file, 'utf8'))
        : null;
    },
  };
}

function parseSnapshot(file: string, text: string): { seq: number; state: Json } | null {
  try {
    return JSON.parse(text) as { seq: number; state: Json } | null;
  } catch {
    rmSync(file, { force: true });
    return null;
  }
}
