/** Owns: whether what is installed is still what was installed. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Installed } from '../../../kit/requests/dependency-state.ts';
import { binFolders, listEntries, linkTarget } from '../../../kit/sandbox/tool-links.ts';
import { findChangedShims } from './shims.ts';
import { measureTree } from './measure-tree.ts';

type AuditFinding = { name: string; state: 'same' | 'changed' | 'missing' | 'stray'; found: string };

export async function auditTools(
  tools: string,
  installed: Readonly<Record<string, Installed>>,
): Promise<AuditFinding[]> {
  const found: AuditFinding[] = [];
  const trees = new Map<string, string>();
  for (const [name, receipt] of Object.entries(installed)) found.push(await auditOne(tools, name, receipt, trees));
  return [...found, ...findStrays(tools, Object.values(installed))];
}

async function auditOne(
  tools: string,
  name: string,
  { folder, tree, links }: Installed,
  trees: Map<string, string>,
): Promise<AuditFinding> {
  const path = join(tools, folder);
  if (!existsSync(path)) return { name, state: 'missing', found: `${folder} is not there` };
  const now = trees.get(folder) ?? (await measureTree(path)).tree;
  trees.set(folder, now);
  if (now !== tree)
    return {
      name,
      state: 'changed',
      found: `${folder} has hash ${now.slice(0, 12)}, the lock says ${tree.slice(0, 12)}`,
    };
  const wrong = Object.entries(links).find(([link, target]) => linkTarget(join(tools, link)) !== target);
  if (wrong !== undefined) return { name, state: 'changed', found: `${wrong[0]} does not lead to ${wrong[1]}` };
  return { name, state: 'same', found: folder };
}

/** Programs in the folders of PATH that no receipt speaks of. */
function findStrays(tools: string, installed: readonly Installed[]): AuditFinding[] {
  const known = new Set(installed.flatMap(({ links }) => Object.keys(links)));
  const folders = binFolders('')
    .map((folder) => folder.replace(/^\//, ''))
    .filter((folder) => !folder.startsWith('python'));
  const shims = findChangedShims(tools).map(
    (name): AuditFinding => ({ name: `shims/${name}`, state: 'stray', found: 'it is not as oka makes it' }),
  );
  const programs = folders.flatMap((folder) =>
    listEntries(join(tools, folder))
      .map((name) => `${folder}/${name}`)
      .filter((path) => !known.has(path))
      .map((path) => ({
        name: path,
        state: 'stray' as const,
        found: `no receipt speaks of it${describeTarget(join(tools, path))}`,
      })),
  );
  return [...programs, ...shims];
}

/** Where a link leads, if anywhere. */
function describeTarget(path: string): string {
  try {
    return `; it is ${realpathSync(path)}`;
  } catch {
    return '; it leads nowhere';
  }
}
