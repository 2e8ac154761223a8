/** Owns: where a program is found. An installed tool is found before one of the system, as it would be when it runs. */
import { realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';

export const SYSTEM_FOLDERS = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];
/** Where links from the folders above may lead: the files of packages that the system installed. */
const SYSTEM_ROOTS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix/store'];

const EXECUTABLE = 0o111;

/** Gives the folder entry of a program, or of a link's end when that lies outside the system's own folders. */
export function resolver(
  toolFolder: string,
  systemFolders: readonly string[] = SYSTEM_FOLDERS,
): (program: string) => string | null {
  const tools = ['bin', 'python/bin', 'node/bin', 'node/node_modules/.bin', 'node_modules/.bin'].map((folder) =>
    posix.join(toolFolder, folder),
  );
  return (program) => {
    if (program.includes('/')) return found(program);
    for (const folder of [...tools, ...systemFolders]) {
      const path = found(posix.join(folder, program));
      if (path !== null) return path;
    }
    return null;
  };
}

function found(path: string): string | null {
  try {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined || !entry.isFile() || (entry.mode & EXECUTABLE) === 0) return null;
    const real = realpathSync(path);
    return SYSTEM_ROOTS.some((root) => real.startsWith(`${root}/`)) ? path : real;
  } catch {
    return null;
  }
}
