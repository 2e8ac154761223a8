/** Which add-ons are there, where, and how large they are: for `oka doctor` and `oka add-on list`. */
import { globSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../core/schema/finding.ts';
import { ADD_ONS, type AddOnName, addOnFolders, hasOwnPackages } from '../../kit/add-ons.ts';
import { bytes } from '../../kit/cli/plain-text.ts';

export type AddOnState =
  | { state: 'included' }
  | { state: 'installed'; folder: string; bytes: number }
  | { state: 'missing' };

export const ADD_ON_NAMES = Object.keys(ADD_ONS) as AddOnName[];

export function stateOf(name: AddOnName): AddOnState {
  if (hasOwnPackages(name)) return { state: 'included' };
  const [folder] = addOnFolders(name);
  return folder === undefined ? { state: 'missing' } : { state: 'installed', folder, bytes: sizeOf(folder) };
}

/** A missing one is no fault: what needs it says so itself. */
export function addOnFindings(): Finding[] {
  const found = ADD_ON_NAMES.map((name) => `${name}: ${describeState(stateOf(name))}`);
  return [{ state: 'good', what: 'add-ons', found: found.join('; ') }];
}

export function describeState(found: AddOnState): string {
  switch (found.state) {
    case 'included':
      return 'among the packages of this program';
    case 'installed':
      return `installed (${bytes(found.bytes)})`;
    case 'missing':
      return 'not installed';
  }
}

export function sizeOf(folder: string): number {
  const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
}
