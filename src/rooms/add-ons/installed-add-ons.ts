/** Which add-ons there are, where, how large, and whether they can be used: for `oka doctor` and `oka add-on list`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { hash } from 'node:crypto';
import { listFolder } from '../../core/ledger/disk.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { ADD_ONS, type AddOnName, addOnFolders, canResolve, hasOwnPackages, wayTo } from '../../kit/add-ons.ts';
import { bytes } from '../../kit/cli/plain-text.ts';
import { programFolder, userAddOns } from '../../kit/settings.ts';

export type AddOnState =
  | { state: 'included'; bytes: number | null }
  | { state: 'installed'; folder: string; bytes: number | null }
  | { state: 'outdated'; folder: string; bytes: number | null }
  | { state: 'incomplete'; folder: string; lacks: string }
  | { state: 'unsafe'; folder: string }
  | { state: 'missing' };

export const ADD_ON_NAMES = Object.keys(ADD_ONS) as AddOnName[];

export function stateOf(name: AddOnName): AddOnState {
  if (hasOwnPackages(name)) return { state: 'included', bytes: diskUse(ownPackages(name)) };
  const folders = addOnFolders(name);
  const folder = folders.find((each) => basename(each) === addOnFolderName(name)) ?? folders[0];
  if (folder === undefined) {
    const into = userAddOns();
    const [unsafe] = into === null ? [] : listFolder(into).filter((each) => each.startsWith(`${name}@`));
    return into === null || unsafe === undefined
      ? { state: 'missing' }
      : { state: 'unsafe', folder: join(into, unsafe) };
  }
  const lacks = lackingPackage(name, folder);
  if (lacks !== undefined) return { state: 'incomplete', folder, lacks };
  const state = basename(folder) === addOnFolderName(name) ? 'installed' : 'outdated';
  return { state, folder, bytes: diskUse([folder]) };
}

/** The first package that a folder of an add-on should have and does not. */
export function lackingPackage(name: AddOnName, folder: string): string | undefined {
  const from = createRequire(join(folder, 'package.json'));
  return ADD_ONS[name].packages.find((each) => !canResolve(from, each));
}

/** The folder of an add-on names the lock file it was installed from. */
export function addOnFolderName(name: AddOnName): string {
  return `${name}@${hash('sha256', readFileSync(join(listsOf(name), 'package-lock.json'))).slice(0, 12)}`;
}

export const listsOf = (name: AddOnName): string => join(programFolder, 'share', 'add-ons', name);

/** A missing one is no fault: what needs it says so itself. One that is there and cannot be used is. */
export function addOnFindings(): Finding[] {
  const states = ADD_ON_NAMES.map((name) => ({ name, found: stateOf(name) }));
  const parts = ['bin', 'lib', 'src', 'share', 'native', 'node_modules'].map((part) => join(programFolder, part));
  const all = states.map(({ name, found }) => `${name}: ${describeState(name, found)}`);
  const own = `the program and its packages: ${sizeWord(diskUse(parts))}`;
  const odd = states.find(({ found }) => isUnusable(found.state));
  if (odd === undefined) return [{ state: 'good', what: 'add-ons', found: [own, ...all].join('; ') }];
  return [{ state: 'odd', what: 'add-ons', found: [own, ...all].join('; '), fix: wayTo(odd.name) }];
}

const isUnusable = (state: AddOnState['state']): boolean => ['outdated', 'incomplete', 'unsafe'].includes(state);

export function describeState(name: AddOnName, found: AddOnState): string {
  switch (found.state) {
    case 'included':
      return `among the packages of this program (${sizeWord(found.bytes)})`;
    case 'installed':
      return `installed (${sizeWord(found.bytes)})`;
    case 'outdated':
      return `installed by another version of oka (${sizeWord(found.bytes)})`;
    case 'incomplete':
      return `not whole, ${found.lacks} is missing in ${found.folder}`;
    case 'unsafe':
      return `not used, since somebody else may write ${found.folder}`;
    case 'missing':
      return `not installed (about ${ADD_ONS[name].megabytes} MB)`;
  }
}

const sizeWord = (size: number | null): string => (size === null ? 'size unknown' : bytes(size));

/** Those at the top of what the lock file lists: others are inside of them. */
function ownPackages(name: AddOnName): string[] {
  const { packages } = JSON.parse(readFileSync(join(listsOf(name), 'package-lock.json'), 'utf8')) as {
    packages: object;
  };
  return Object.keys(packages)
    .filter((path) => path !== '' && path.lastIndexOf('node_modules/') === 0)
    .map((path) => join(programFolder, path));
}

/** As `du` counts it, which takes a tenth of the time of looking at each file from here; null where it cannot tell. */
export function diskUse(paths: readonly string[]): number | null {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return null;
  const { stdout } = spawnSync('du', ['-skc', ...there], { encoding: 'utf8', timeout: 20_000 });
  const total = /^(\d+)\s+total\s*$/m.exec(stdout ?? '')?.[1];
  return total === undefined ? null : Number(total) * 1024;
}
