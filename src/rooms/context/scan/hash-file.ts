/** Owns: reading files to hash them, all into one buffer: a promise or a stream for each file costs more than reading it. */
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { NodeID } from '../../../core/schema/tree.ts';

const BUFFER_BYTES = 1024 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** `stats` is from before it was read. */
type HashedFile = { id: NodeID; size: number; stats: Stats };
/** What was opened may be something else than what was looked at before. */
export type FileHasher = (file: string | Buffer) => HashedFile | 'special' | 'too-large';

/** Throws the error of the system when a file cannot be read. Links are not followed. */
export function openFileHasher(maxBytes: number): FileHasher {
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  return (file) => {
    const fd = openSync(file, FLAGS);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return 'special';
      if (stats.size > maxBytes) return 'too-large';
      const length = readSync(fd, buffer, 0, BUFFER_BYTES, null);
      if (length < BUFFER_BYTES) return { id: hash('sha256', buffer.subarray(0, length)), size: length, stats };
      return { ...hashRest(fd, buffer), stats };
    } finally {
      closeSync(fd);
    }
  };
}

/** For files that are larger than the buffer, which is full. */
function hashRest(fd: number, buffer: Buffer): Omit<HashedFile, 'stats'> {
  const whole = createHash('sha256').update(buffer);
  let size = buffer.length;
  for (;;) {
    const length = readSync(fd, buffer, 0, buffer.length, null);
    if (length === 0) return { id: whole.digest('hex'), size };
    whole.update(buffer.subarray(0, length));
    size += length;
  }
}
