/**
 * Owns: the folders below .oka/tools, and the links that lead to them.
 *
 *     bin/             programs, and links to programs that packages carry
 *     node/            one folder a package and version; bin/ and lib/node_modules/ are links
 *     python           a link to the current environment, in venvs/
 *     wheels/ cache/   what was fetched, so that it need not be fetched again
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders of programs, the first to be searched first. */
export const binFolders = (tools: string): string[] => [
  join(tools, 'bin'),
  join(tools, 'node', 'bin'),
  join(tools, 'python', 'bin'),
];

/** Programs that come before all others in the PATH of a step (shims.ts). */
export const shimFolder = (tools: string): string => join(tools, 'shims');

/** What is being made has a name of its own until it is whole. */
const UNFINISHED = /^\.new-/;
export const unfinishedName = (id: string): string => `.new-${id}`;
export const isUnfinished = (name: string): boolean => UNFINISHED.test(name);

/** Folders with one folder for each package and version. */
export const FAMILIES = ['node', 'venvs', 'binaries'] as const;

/** A scoped name as one folder name: @scope/name@1.0.0 is in @scope__name@1.0.0. */
export const folderName = (name: string, version: string): string => `${name.replace('/', '__')}@${version}`;

/** Switches every link in one step each: a reader sees the old target or the new one. */
export function switchLinks(tools: string, links: Readonly<Record<string, string>>): void {
  for (const [link, target] of Object.entries(links)) {
    const path = join(tools, link);
    mkdirSync(dirname(path), { recursive: true });
    if (linkTarget(path) === target) continue;
    const fresh = join(dirname(path), unfinishedName(`${process.pid}-link`));
    rmSync(fresh, { force: true });
    symlinkSync(target, fresh);
    renameSync(fresh, path);
  }
}

/** Takes away the links that still lead where they were made to lead. */
export function removeLinks(tools: string, links: Readonly<Record<string, string>>): void {
  for (const [link, target] of Object.entries(links))
    if (linkTarget(join(tools, link)) === target) rmSync(join(tools, link), { force: true });
}

export function linkTarget(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null;
}

/**
 * Deletes what no receipt speaks of: the leavings of installations that did not come to their end. While a command may
 * still run from a version that was replaced, only those that never became whole.
 */
export function removeUnfinished(tools: string, known: readonly string[], mayBeInUse = false): string[] {
  const wanted = new Set(known);
  const isStray = (name: string): boolean => UNFINISHED.test(name) || (!mayBeInUse && !OWN.has(name));
  const stray = FAMILIES.flatMap((family) =>
    listEntries(join(tools, family))
      .filter((name) => isStray(name) && !wanted.has(`${family}/${name}`))
      .map((name) => `${family}/${name}`),
  );
  const halves = ['', 'bin', 'wheels', 'node/bin'].flatMap((folder) =>
    listEntries(join(tools, folder))
      .filter((name) => UNFINISHED.test(name))
      .map((name) => join(folder, name)),
  );
  for (const path of [...stray, ...halves]) rmSync(join(tools, path), { recursive: true, force: true });
  const dangling = ['', 'bin', 'node/bin'].flatMap((folder) =>
    listEntries(join(tools, folder))
      .map((name) => join(folder, name))
      .filter((path) => linkTarget(join(tools, path)) !== null && !existsSync(join(tools, path))),
  );
  for (const path of dangling) rmSync(join(tools, path));
  return [...stray, ...halves, ...dangling];
}

/** Folders of links. */
const OWN = new Set(['bin', 'lib', 'imports.mjs']);
export const isOwn = (name: string): boolean => OWN.has(name);

export function listEntries(folder: string): string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
}
