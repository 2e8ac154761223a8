/** Owns: the folders that rights speak of, as they really are on this machine. */
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Places } from '../../core/guard/command-rights.ts';

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
