/** Splits bytes into records, from files and archive segments alike, in bounded memory. */
import { read } from 'node:fs';
import { MAX_LINE_BYTES } from './line.ts';

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** The bytes of a record without the newline. They are valid only until the next batch is requested. */
export type RawLine = { start: number; end: number; bytes: Buffer; closed: boolean };

/** Bytes of a file from `from` up to `to`, through one buffer that is reused for every chunk. */
export async function* readChunks(fd: number, from: number, to: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, to - from)));
  for (let at = from; at < to; ) {
    const bytesRead = await readInto(fd, buffer, Math.min(buffer.length, to - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function readInto(fd: number, buffer: Buffer, length: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, 0, length, at, (error, bytesRead) => (error === null ? resolve(bytesRead) : reject(error)));
  });
}

/** Splits at newlines. A last line without one has `closed: false`, and so have the parts of an overlong line. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, offset: number): AsyncGenerator<RawLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let start = offset;
  for await (const chunk of chunks) {
    const lines: RawLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const bytes = rest.length === 0 ? chunk.subarray(from, end) : Buffer.concat([rest, chunk.subarray(from, end)]);
      rest = rest.length === 0 ? rest : Buffer.alloc(0);
      lines.push({ start, end: start + bytes.length + 1, bytes, closed: true });
      start += bytes.length + 1;
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > MAX_LINE_BYTES) {
      lines.push({ start, end: start + rest.length, bytes: rest, closed: false });
      start += rest.length;
      rest = Buffer.alloc(0);
    }
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [{ start, end: start + rest.length, bytes: rest, closed: false }];
}
