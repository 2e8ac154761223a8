/** Where the context trees of a home are stored. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../core/ledger/disk.ts';
import type { Home } from '../../../core/schema/home.ts';

export const treeFile = (home: Home): string => join(home.oka, 'index', 'tree.sqlite');

export const statCacheFile = (home: Home, workspace: string): string =>
  join(home.oka, 'index', `tree-${workspace}.stats`);

/** Whether a home uses its context tree. Where nobody has scanned, nothing is opened or folded because of it. */
export const hasTree = (home: Home): boolean => existsSync(treeFile(home));

/** By workspace, the number of the last scan that was reacted to. Without the file, what comes from now on is. */
export function handledScans({ oka }: Home) {
  const file = join(oka, 'state', 'tree-handled.json');
  return {
    read: (): Record<string, number> => {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
      } catch {
        return {}; // not there yet, or damaged
      }
    },
    write: (handled: Readonly<Record<string, number>>): void => replaceFile(file, JSON.stringify(handled)),
  };
}
