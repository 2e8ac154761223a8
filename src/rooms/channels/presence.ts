/** Owns: whether a person looks at the dashboard: the web process touches a file while a page is visible and in use. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';

export const presenceFile = (home: Home): string => join(home.oka, 'web', 'presence');

/** A page reports itself every half minute. */
const PRESENT_MS = 75_000;

export function isWatched(home: Home, now: number): boolean {
  const stats = statSync(presenceFile(home), { throwIfNoEntry: false });
  return stats !== undefined && now - stats.mtimeMs < PRESENT_MS && now - stats.mtimeMs > -PRESENT_MS;
}
