/** Folders of a person outside the home of oka, as stories about them use them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, with an empty folder Backup in it. */
export function ownFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'oka-mine-')));
  mkdirSync(join(dir, 'Backup'));
  return dir;
}

export const readIfPresent = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/** Adds entries below `folders:` to the policy of a new home. */
export const withFolders =
  (...entries: string[]) =>
  (policy: string): string =>
    policy.replace('rules: []', `folders:\n${entries.map((entry) => `  - ${entry}\n`).join('')}rules: []`);
