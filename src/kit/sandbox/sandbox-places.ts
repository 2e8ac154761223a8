/** Owns: the folders that rights speak of, as they really are on this machine; and the scratch folders of commands. */
import { mkdirSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Places } from '../../core/guard/command-rights.ts';
import type { Home } from '../../core/schema/home.ts';
import { deskFolder } from '../desk-folder.ts';

/** Makes what is missing, and follows links now, so that nothing can be swapped for one later. */
export function resolvePlaces(folders: Pick<Places, 'oka' | 'desk' | 'scratch' | 'tools'>): Places {
  const real = (folder: string, mode = 0o777): string => {
    mkdirSync(folder, { recursive: true, mode });
    return realpathSync.native(folder);
  };
  return {
    oka: real(folders.oka, 0o700),
    desk: real(folders.desk),
    scratch: folders.scratch === null ? null : real(folders.scratch),
    tools: real(folders.tools, 0o700),
    programs: programFolders(process.execPath),
    root: process.getuid?.() === 0,
  };
}

/** Node and npm, and not the folder around them, which may be somebody's home. */
export function programFolders(node: string): string[] {
  const bin = dirname(node);
  return [bin, join(bin, '..', 'lib', 'node_modules')];
}

export function placesOf(home: Home, scratch: string | null, fork?: string): Places {
  const desk = deskFolder(home, fork);
  return resolvePlaces({ oka: home.oka, desk, scratch, tools: join(home.oka, 'tools') });
}

export function createScratch(home: Home): string {
  const folder = join(realpathSync.native(home.oka), 'scratch');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(folder, 'call-'));
}

/** Most are empty; removing what a command left may take long, and blocks nobody. */
export async function removeScratch(folder: string): Promise<void> {
  try {
    rmdirSync(folder);
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
}
