/** The beginning of a regular file below a folder, as text; null where there is none. Follows no links out of it. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

const HEAD_BYTES = 1024 * 1024;

export function readHead(folder: string, path: string): { text: string; bytes: number } | null {
  let fd: number;
  try {
    const file = realpathSync(join(folder, path));
    if (!file.startsWith(`${realpathSync(folder)}${sep}`)) return null;
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null; // it is not there, or nobody may read it
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    const head = Buffer.alloc(Math.min(stats.size, HEAD_BYTES));
    const read = readSync(fd, head, 0, head.length, 0);
    return { text: head.toString('utf8', 0, read), bytes: stats.size };
  } finally {
    closeSync(fd);
  }
}
