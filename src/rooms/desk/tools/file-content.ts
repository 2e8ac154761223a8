/** Owns: reading an open file, or a part of it, in bounded memory. */
import type { FileHandle } from 'node:fs/promises';
import { isInside, startOfText } from '../../../kit/text/body-text.ts';
import { failure } from '../../../kit/define-tool.ts';

/** The longest part that is read at once. */
export const MAX_PART = 65_536;
const MAX_READ = 16_777_216;

export async function readContent(file: FileHandle, size: number, path: string): Promise<Buffer> {
  const bytes = size > MAX_READ ? null : await readAtMost(file, MAX_READ);
  if (bytes !== null) return bytes;
  throw failure(`${path} has ${size} bytes, too many to read at once`, 'Read parts of it with offset and length.');
}

/** Null when there is more: a file may grow while it is read. */
export async function readAtMost(file: FileHandle, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= limit; ) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(65_536), position: length });
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return null;
}

/** The characters that begin in the part, so that parts put together give the whole. */
export async function readPart(file: FileHandle, offset: number, length = MAX_PART): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length + 3), position: offset });
  const start = offset === 0 ? 0 : startOfText(buffer);
  let end = Math.min(length, bytesRead);
  while (end < bytesRead && isInside(buffer[end])) end += 1;
  return buffer.subarray(Math.min(start, end), end);
}
