/** Where the states of the desk are stored. */
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';

export const undoFolder = (home: Home): string => join(home.oka, 'undo');
