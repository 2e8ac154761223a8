/**
 * Owns: which parts of .oka/tools nobody needs any more, and taking them away.
 *
 * U1 What a receipt speaks of, what a link leads to and what is being made stays.
 * U2 What something else took the place of stays as long as a command that was started before may still run from it.
 * U3 It is renamed before it is deleted: half of a folder never has the name of a whole one.
 */
import { lstatSync, renameSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Installed } from '../../../kit/requests/dependency-state.ts';
import { normalizeName } from './known-python.ts';
import {
  binFolders,
  listEntries,
  FAMILIES,
  isOwn,
  isUnfinished,
  linkTarget,
  unfinishedName,
} from '../../../kit/sandbox/tool-links.ts';
import { measureTree } from './measure-tree.ts';

export type Prunable = { path: string; bytes: number; since: string };

export async function findPrunable(
  tools: string,
  installed: readonly Installed[],
  before: number,
): Promise<Prunable[]> {
  const kept = new Set([...installed.map(({ folder }) => folder), ...linkedFolders(tools)]);
  const folders = FAMILIES.flatMap((family) =>
    listEntries(join(tools, family))
      .filter((name) => !isOwn(name) && !isUnfinished(name))
      .map((name) => `${family}/${name}`)
      .filter((path) => !kept.has(path)),
  );
  const old = [...folders, ...unusedWheels(tools, installed)]
    .map((path) => ({ path, since: unusedSince(tools, path, installed) }))
    .filter(({ since }) => since < before); // commands started before may still run from it (U2)
  return Promise.all(
    old.map(async ({ path, since }) => ({
      path,
      bytes: (await measureTree(join(tools, path))).bytes,
      since: new Date(since).toISOString(),
    })),
  );
}

/** Renames each folder before deleting it (U3). */
export function removeFolders(tools: string, paths: readonly string[]): void {
  for (const path of paths) {
    const gone = join(tools, path, '..', unfinishedName(`gone-${process.pid}`));
    rmSync(gone, { recursive: true, force: true });
    renameSync(join(tools, path), gone);
    rmSync(gone, { recursive: true, force: true });
  }
}

/** Folders that a link of ours leads into, whatever the receipts say. */
function linkedFolders(tools: string): string[] {
  const links = [
    'python',
    ...[...binFolders(''), ...moduleFolders(tools)].flatMap((folder) =>
      listEntries(join(tools, folder)).map((name) => `${folder}/${name}`),
    ),
  ];
  return links.flatMap((link) => {
    const target = linkTarget(join(tools, link));
    if (target === null) return [];
    return [
      relative(tools, resolve(join(tools, link, '..'), target))
        .split('/')
        .slice(0, 2)
        .join('/'),
    ];
  });
}

function moduleFolders(tools: string): string[] {
  const modules = 'node/lib/node_modules';
  return [
    modules,
    ...listEntries(join(tools, modules))
      .filter((name) => name.startsWith('@'))
      .map((name) => `${modules}/${name}`),
  ];
}

/** Wheels that belong to nothing that is installed. */
function unusedWheels(tools: string, installed: readonly Installed[]): string[] {
  const used = new Set(
    installed.flatMap(({ by, contains }) =>
      by === 'python' ? contains.map(({ name, version }) => `${normalizeName(name)}-${version}`) : [],
    ),
  );
  return listEntries(join(tools, 'wheels'))
    .filter((file) => file.endsWith('.whl'))
    .filter((file) => {
      const [name = '', version = ''] = file.split('-');
      return !used.has(`${normalizeName(name)}-${version}`);
    })
    .map((file) => `wheels/${file}`);
}

/** Since when nothing leads there: since its successor came, or since it was made. */
function unusedSince(tools: string, path: string, installed: readonly Installed[]): number {
  const [family = '', entry = ''] = path.split('/');
  const name = entry.replace(/(?!^)@[^@]*$/, '').replace('__', '/');
  const followed = installed
    .filter(({ by, name: its }) => (family === 'venvs' || family === 'wheels' ? by === 'python' : its === name))
    .map(({ at }) => Date.parse(at));
  return Math.max(lstatSync(join(tools, path)).ctimeMs, ...followed);
}
