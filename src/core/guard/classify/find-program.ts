/** Owns: finding a program on the disk. Installed tools come before those of the system, as in the PATH of commands. */
import { realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';

export const SYSTEM_FOLDERS = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];
/** Folders that links from the folders above may point to: files of packages that the system installed. */
const SYSTEM_ROOTS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix/store'];

const EXECUTABLE = 0o111;

/** Gives the path of a program, or the target of its link if that is outside the system's folders. */
export function programFinder(
  toolFolder: string,
  systemFolders: readonly string[] = SYSTEM_FOLDERS,
): (program: string) => string | null {
  const tools = ['bin', 'python/bin', 'node/bin', 'node/node_modules/.bin', 'node_modules/.bin'].map((folder) =>
    posix.join(toolFolder, folder),
  );
  return (program) => {
    if (program.includes('/')) return executableAt(program);
    for (const folder of [...tools, ...systemFolders]) {
      const path = executableAt(posix.join(folder, program));
      if (path !== null) return path;
    }
    return null;
  };
}

function executableAt(path: string): string | null {
  try {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined || !entry.isFile() || (entry.mode & EXECUTABLE) === 0) return null;
    const real = realpathSync(path);
    return SYSTEM_ROOTS.some((root) => real.startsWith(`${root}/`)) ? path : real;
  } catch {
    return null; // what cannot be looked at is not run as a program
  }
}
