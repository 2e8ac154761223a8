/**
 * Owns: what the path of a folder outside the desk really leads to, and which folders are never opened to a task.
 * Does not own: which tasks may use a folder (rooms/desk/task-folders.ts), how it is opened (tools/pinned-folders.ts).
 *
 * P1 A link is followed only where no task can have made it: not inside the desk, and not inside a folder that tasks write.
 * P2 Never opened: oka's own folders and program, system folders to writing, places of keys, what contains any of these,
 *    and to writing also what makes other programs run.
 */
import { lstatSync, opendirSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { errnoOf } from '../schema/errors.ts';
import { isInFolder, type OpenFolder } from '../schema/folder.ts';
import { programTrigger } from '../schema/program-triggers.ts';
import { hasInvisible } from './escape-invisible.ts';
import { isSecretPath } from './classify/paths.ts';

/** Absolute, real paths. */
export type FolderPlaces = {
  oka: string;
  workspace: string;
  /** The folder of the program itself. */
  program: string;
  /** The home folder of the user; null if there is none. */
  user: string | null;
  /** Folders from which a shell of the user starts programs. */
  programFolders: readonly string[];
};

export type FoundFolder = { real: string } | { problem: string; isMissing?: true };

const MOST_LINKS = 40;
const SYSTEM = ['/proc', '/sys', '/dev', '/run', '/boot', '/etc'];
const SYSTEM_FOR_WRITING = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/snap', '/nix', '/var/lib'];
/** Places of keys and of settings that programs obey, below the home folder of a user. */
const PRIVATE_NAMES = ['.ssh', '.gnupg', '.aws', '.config', '.local', '.bashrc', '.profile', '.kube', '.docker'];
const DEEPEST_SCAN = 6;
const MOST_SCANNED = 20_000;

/** The absolute path that a person wrote; `~` is the home folder of the user. */
export function expandFolder(written: string, user: string | null): { path: string } | { problem: string } {
  if (/\p{Cc}/u.test(written) || hasInvisible(written)) return { problem: 'has characters that cannot be seen' };
  const isTilde = written === '~' || written.startsWith('~/');
  if (isTilde && user === null) return { problem: 'begins with ~, and this user has no home folder' };
  const path = isTilde ? `${user ?? ''}${written.slice(1)}` : written;
  if (!isAbsolute(path)) return { problem: 'is not an absolute path' };
  if (path.split('/').includes('..')) return { problem: 'has .. in it' };
  const tidy = posix.normalize(path);
  return { path: tidy.length > 1 && tidy.endsWith('/') ? tidy.slice(0, -1) : tidy };
}

/** Where a folder really is. `writable` are folders in which tasks can make links (P1). */
export function findFolder(path: string, writable: readonly string[]): FoundFolder {
  let real = '/';
  const left = path.split('/').filter((name) => name !== '');
  for (let links = 0; left.length > 0; ) {
    const name = left.shift() as string;
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const at = join(real, name);
    const stats = statOrProblem(at);
    if ('problem' in stats) return stats;
    if (!stats.isSymbolicLink()) {
      if (!stats.isDirectory()) return { problem: 'is not a folder' };
      real = at;
      continue;
    }
    if (writable.some((folder) => isInFolder(real, folder)))
      return { problem: `goes through a link (${at}) in a folder that tasks can change` };
    if ((links += 1) > MOST_LINKS) return { problem: 'is a circle of links' };
    const target = readlinkSync(at);
    if (isAbsolute(target)) real = '/';
    left.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'));
  }
  return /\p{Cc}/u.test(real) ? { problem: 'has characters that cannot be seen' } : { real };
}

function statOrProblem(path: string): Stats | { problem: string; isMissing?: true } {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: 'is not there', isMissing: true };
    if (code === 'EACCES') return { problem: 'cannot be read by this user' };
    throw error;
  }
}

/** Why a folder is never opened like this; null when it may be (P2). */
export function whyNeverOpened({ path, access }: OpenFolder, places: FolderPlaces): string | null {
  const { oka, workspace, program, user, programFolders } = places;
  const touches = (other: string): boolean => isInFolder(path, other) || isInFolder(other, path);
  const writes = access === 'write';
  if (touches(oka)) return 'it contains the rules and records of oka, or is one of them';
  if (isInFolder(workspace, path)) return 'it contains the workspace of oka';
  if (isInFolder(path, join(workspace, 'desk'))) return 'it is on the desk, where every task works anyway';
  if (writes && isInFolder(path, workspace)) return 'tasks and results are written there, by people and by oka';
  if (writes && touches(program)) return 'it contains the program oka itself';
  if (SYSTEM.some(touches) || (user !== null && isInFolder(user, path)))
    return 'it contains keys and settings of this machine, or of you';
  if (writes && [...SYSTEM_FOR_WRITING, ...programFolders].some(touches)) return 'programs that you start are in it';
  if (user !== null && PRIVATE_NAMES.some((name) => isInFolder(path, join(user, name))))
    return 'keys and settings of yours are there';
  if (writes && programTrigger(path) !== null) return `${programTrigger(path)}`;
  const tail = user !== null && isInFolder(path, user) ? path.slice(user.length) : path;
  return isSecretPath(tail) ? 'keys are stored there' : findKey(path);
}

const known = new Map<string, { at: number; why: string | null }>();
const KNOWN_MS = 120_000;

/** A key below a folder, to the depth that people keep them at; a scan is good for two minutes. */
function findKey(path: string): string | null {
  const before = known.get(path);
  const now = performance.now();
  if (before !== undefined && now - before.at < KNOWN_MS) return before.why;
  const found = scanForKey(path);
  const why = found === null ? null : `it contains keys: ${found}`;
  known.set(path, { at: now, why });
  return why;
}

function scanForKey(top: string): string | null {
  const pending: { folder: string; depth: number }[] = [{ folder: top, depth: 0 }];
  let left = MOST_SCANNED;
  for (let next = pending.shift(); next !== undefined && left > 0; next = pending.shift()) {
    for (const { name, isFolder } of entriesOf(next.folder)) {
      left -= 1;
      const path = join(next.folder, name);
      if (isSecretPath(`/${path.slice(top.length + 1)}`) && isKeyName(name)) return path;
      if (isFolder && next.depth < DEEPEST_SCAN && name !== 'node_modules')
        pending.push({ folder: path, depth: next.depth + 1 });
    }
  }
  return null;
}

/** Settings of the home folder of a user have names that are ordinary elsewhere. */
const isKeyName = (name: string): boolean =>
  /^(?:\.(?:ssh|gnupg|aws|azure|kube|password-store|gcloud|mozilla|keychain|netrc|pgpass|my\.cnf|git-credentials|pypirc|s3cfg|vault-token)|id_(?:rsa|dsa|ecdsa|ed25519|xmss).*|credentials\.age|wallet\.dat|logins\.json|key4\.db|.*\.kdbx|login\.keychain(?:-db)?)$/.test(
    name,
  );

function entriesOf(folder: string): { name: string; isFolder: boolean }[] {
  const found: { name: string; isFolder: boolean }[] = [];
  try {
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null && found.length < MOST_SCANNED; entry = opened.readSync())
        found.push({ name: entry.name, isFolder: entry.isDirectory() });
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error; // what we cannot list, a task cannot, either
  }
  return found;
}
