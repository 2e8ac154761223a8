/** Whether a home uses its context tree. Where nobody has scanned, nothing is opened or folded because of it. */
import { existsSync } from 'node:fs';
import type { Home } from '../../schema/home.ts';
import { treeFile } from '../tree/tree-index.ts';

export const hasTree = (home: Home): boolean => existsSync(treeFile(home));
