/**
 * Owns: opening dropped files safely. Only a regular file without other hard links is read; symbolic links are not
 * followed, and a pipe cannot block.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';

/** Why something is not a task, for the person who dropped it. Thrown and caught within intake. */
export class NotATask extends Error {
  override readonly name = 'NotATask';
  /** It may still become a task. */
  readonly unfinished: boolean;
  /** It may be a task, but this user may not read it. */
  readonly unreadable: boolean;

  constructor(reason: string, options: { unfinished?: boolean; unreadable?: boolean; cause?: unknown } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.unfinished = options.unfinished ?? false;
    this.unreadable = options.unreadable ?? false;
  }
}

/** The file disappeared meanwhile, which is not worth reporting. */
export class Vanished extends Error {
  override readonly name = 'Vanished';
}

export function readPlain(path: string | Buffer, mostBytes: number): { bytes: Buffer; stats: Stats } {
  return withPlain(path, (fd, stats) => {
    assertSize(stats.size, mostBytes);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let more = 1; more > 0 && length < stats.size; length += more)
      more = readSync(fd, bytes, length, stats.size - length, length);
    return { bytes: bytes.subarray(0, length), stats };
  });
}

export function withPlain<T>(path: string | Buffer, act: (fd: number, stats: Stats) => T): T {
  const fd = openPlain(path);
  try {
    const stats = fstatSync(fd);
    assertPlain(stats);
    return act(fd, stats);
  } finally {
    closeSync(fd);
  }
}

export function assertPlain(stats: Stats): void {
  const what = kindOf(stats);
  if (what !== 'a regular file') throw new NotATask(`it is ${what}; only regular files are read`);
  if (stats.nlink > 1) throw new NotATask('the same file has another name elsewhere (a hard link); drop a copy of it');
}

export function assertSize(bytes: number, most: number): void {
  if (bytes > most) throw new NotATask(`it has ${formatBytes(bytes)}; ${formatBytes(most)} are allowed`);
}

/** A size for people, in KB or MB of 1024 each. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [size, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KB'] : [bytes / (1024 * 1024), 'MB'];
  return `${size < 10 && !Number.isInteger(size) ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

export const unreadableReason = (what: string): string =>
  `${what} is not readable for this user (uid ${process.getuid?.() ?? 'unknown'}); run chmod a+r on it, or chown it to this user`;

export function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a regular file';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

function openPlain(path: string | Buffer): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') throw new Vanished('', { cause: error });
    if (code === 'ELOOP') throw new NotATask('it is a symbolic link; only regular files are read', { cause: error });
    if (code === 'EACCES' || code === 'EPERM') {
      throw new NotATask(unreadableReason('it'), { unreadable: true, cause: error });
    }
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'EIO') throw error;
    throw new NotATask(`it cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}
