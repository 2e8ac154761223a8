/**
 * Owns: copies of the desk that forks of runs work in (workspace/forks/<run>), and the tools that act there.
 *
 * F1 A copy is complete when it gets its name: it is made next to it and renamed.
 * F2 A call of a fork acts in its copy alone; nothing that a fork does reaches the desk.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Tool } from '../../core/schema/tool.ts';
import type { Left } from './plan-undo.ts';
import type { Snapshots } from './snapshots.ts';

/** Tools that act in the copy of the desk that a call names, or on the desk. */
export function onNamedDesk(tools: readonly Tool[], toolsOn: (desk: string) => readonly Tool[]): Tool[] {
  const byDesk = new Map<string, ReadonlyMap<string, Tool>>();
  const toolFor = (tool: Tool, desk: string | undefined): Tool => {
    if (desk === undefined) return tool;
    const found = byDesk.get(desk) ?? new Map(toolsOn(desk).map((each) => [each.name, each]));
    byDesk.set(desk, found);
    return found.get(tool.name) ?? tool;
  };
  return tools.map((tool) => ({
    ...tool,
    ...(tool.fingerprint === undefined ? {} : { fingerprint: fingerprintOn(tool) }),
    invoke: (input, call) => toolFor(tool, call.desk).invoke(input, call),
  }));

  function fingerprintOn(tool: Tool): NonNullable<Tool['fingerprint']> {
    return async (input, call) =>
      `${call?.desk ?? ''} ${await toolFor(tool, call?.desk).fingerprint?.(input, call)}`.trimStart();
  }
}

/** Copies a snapshot of the desk to the folder of a fork; names what was not stored and is missing there. */
export function makeForkDesk(home: Home, shadow: Pick<Snapshots, 'copyTo'>, fork: string, tree: string): Left[] {
  const folder = deskFolder(home, fork);
  if (lstatIfPresent(folder) !== undefined)
    throw new OkaError('usage', `${folder} is there already`, { fix: 'Remove it, or choose another name: --id' });
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(join(dirname(folder), '.new-'));
  try {
    const left = shadow.copyTo(tree, made);
    renameSync(made, folder);
    return left;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}
