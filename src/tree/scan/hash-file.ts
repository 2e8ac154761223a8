/** Owns: reading files to hash them, all into one buffer: a promise or a stream for each file costs more than reading it. */
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';

const BUFFER_BYTES = 1024 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export type HashedFile = { id: Buffer; size: number };
export type FileHasher = (file: string | Buffer) => HashedFile;

/** Throws the error of the system when a file cannot be read. Links are not followed. */
export function openFileHasher(): FileHasher {
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  return (file) => {
    const fd = openSync(file, FLAGS);
    try {
      const length = readSync(fd, buffer, 0, BUFFER_BYTES, null);
      if (length < BUFFER_BYTES) return { id: hash('sha256', buffer.subarray(0, length), 'buffer'), size: length };
      return hashRest(fd, buffer);
    } finally {
      closeSync(fd);
    }
  };
}

/** For files that are larger than the buffer, which is full. */
function hashRest(fd: number, buffer: Buffer): HashedFile {
  const whole = createHash('sha256').update(buffer);
  let size = buffer.length;
  for (;;) {
    const length = readSync(fd, buffer, 0, buffer.length, null);
    if (length === 0) return { id: whole.digest(), size };
    whole.update(buffer.subarray(0, length));
    size += length;
  }
}
