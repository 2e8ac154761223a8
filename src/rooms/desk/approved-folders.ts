/**
 * Owns: .oka/state/approved-folders.json, the folders outside the desk that a task could change by an approval. Tasks may
 * have made links there, so these are not followed later (core/guard/folder-paths.ts, P1). Without the file none is known.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';

export type ApprovedFolders = { list: () => readonly string[]; add: (path: string) => void };

const MOST_FOLDERS = 1000;

export function openApprovedFolders(home: Pick<Home, 'oka'>): ApprovedFolders {
  const file = join(home.oka, 'state', 'approved-folders.json');
  const known = new Set(readPaths(file));
  return {
    list: () => [...known],
    add: (path) => {
      if (known.has(path)) return;
      known.add(path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      replaceFile(file, `${JSON.stringify([...known].slice(-MOST_FOLDERS))}\n`, { durable: true, mode: 0o600 });
    },
  };
}

function readPaths(file: string): string[] {
  try {
    const paths = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return [];
    throw error;
  }
}
