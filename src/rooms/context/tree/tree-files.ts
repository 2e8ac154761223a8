/** Where the context trees of a home are stored. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../../core/schema/home.ts';

export const treeFile = (home: Home): string => join(home.oka, 'index', 'tree.sqlite');

export const statCacheFile = (home: Home, workspace: string): string =>
  join(home.oka, 'index', `tree-${workspace}.stats`);

/** Whether a home uses its context tree. Where nobody has scanned, nothing is opened or folded because of it. */
export const hasTree = (home: Home): boolean => existsSync(treeFile(home));
