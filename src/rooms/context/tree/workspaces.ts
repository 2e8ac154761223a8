/** Which workspaces have a context tree: `workspace/`, and those in tree.roots of config.json. */
import { resolve } from 'node:path';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { nearestWord } from '../../../core/schema/nearest-word.ts';
import { DEFAULT_WORKSPACE, type TreeConfig } from '../../../core/schema/tree.ts';
import type { Workspace } from '../tree-port.ts';

export function listWorkspaces(home: Home, { roots }: Pick<TreeConfig, 'roots'>): Workspace[] {
  const others = Object.entries(roots).filter(([name]) => name !== DEFAULT_WORKSPACE);
  return [
    { name: DEFAULT_WORKSPACE, folder: resolve(home.dir, roots[DEFAULT_WORKSPACE] ?? home.workspace) },
    ...others.map(([name, folder]) => ({ name, folder: resolve(home.dir, folder) })),
  ];
}

/** Throws when there is no such workspace. */
export function findWorkspace(workspaces: readonly Workspace[], name: string): Workspace {
  const found = workspaces.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = workspaces.map((each) => each.name);
  const near = nearestWord(name, names);
  throw new OkaError('usage', `there is no workspace "${name}"${near === null ? '' : `; did you mean "${near}"?`}`, {
    fix: `There is ${names.join(', ')}. Add others under tree.roots in .oka/rules/config.json.`,
  });
}
