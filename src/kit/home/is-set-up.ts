import { existsSync } from 'node:fs';
import type { Home } from '../../core/schema/home.ts';

/** Whether there is a home; a folder that was one and has lost parts of it is none. */
export function isSetUp(home: Home): boolean {
  return existsSync(home.oka) && existsSync(home.workspace);
}
