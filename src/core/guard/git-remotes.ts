/** Owns: reading which remotes a repository has, without running git. What cannot be read is no remote. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errnoOf } from '../schema/errors.ts';
import { isInFolder } from '../schema/folder.ts';

/** A remote with a `pushurl` is in the list once for each address. */
export type GitRemote = { name: string; url: string };

const MOST_BYTES = 512 * 1024;

/** The remotes of the repository that `folder` is in; `roots` bound the search. A relative path becomes an absolute one. */
export function readRemotes(folder: string, roots: readonly string[]): GitRemote[] {
  for (let at = resolve(folder); roots.some((root) => isInFolder(at, root)); at = dirname(at)) {
    const config = readTextFile(join(at, '.git', 'config'));
    if (config !== null)
      return remotesIn(config).map(({ name, url }) => ({ name, url: /^\.\.?\//.test(url) ? resolve(at, url) : url }));
  }
  return [];
}

function remotesIn(config: string): GitRemote[] {
  const found: GitRemote[] = [];
  let remote: string | null = null;
  for (const line of config.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[')) remote = /^\[remote "([^"]+)"\]/.exec(line)?.[1] ?? null;
    const url = remote === null ? undefined : /^(?:push)?url\s*=\s*"?([^"\s]+)/i.exec(line)?.[1];
    if (remote !== null && url !== undefined) found.push({ name: remote, url });
  }
  return found;
}

/** Null if it is not a text file of moderate size. Reading never blocks. */
export function readTextFile(path: string): string | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > MOST_BYTES) return null;
      const bytes = Buffer.alloc(stats.size);
      const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, stats.size, 0));
      return text.includes('\0') ? null : text;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}
