/**
 * Owns: a folder of backups as one stream, in the tar format, so that it can go through a pipe to wherever a person stores
 * things: oka backup --to - | ssh box 'cat > oka.tar'. What is in it is encrypted, as in the folder.
 *
 * T1 Whoever reads writes only files that a backup has, below the folder that was named; anything else is refused.
 * T2 A stream that was cut is noticed: its end is marked, and a state refers to what came before it.
 */
import { readFileSync, statSync, write } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createFile, listFolder, makeFolder } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);
/** A pack and its seal are far smaller: one that claims more is no backup. */
const LARGEST_FILE = 1 << 30;
const NAME = /^(?:oka-backup\.json|packs\/[0-9a-f]{32}(?:\.index)?\.age|states\/[\dTZ.-]+\.age)$/;
const OFFSETS = { name: 0, mode: 100, size: 124, time: 136, sum: 148, kind: 156, magic: 257 } as const;

type Progress = (bytes: number) => void;

/** The tag comes first and the states last: what they list has arrived by then. */
export async function writeStream(dir: string, fd: number, signal: AbortSignal, onProgress: Progress): Promise<void> {
  const names = ['packs', 'states'].flatMap((folder) =>
    listFolder(join(dir, folder)).map((name) => `${folder}/${name}`),
  );
  let done = 0;
  for (const name of ['oka-backup.json', ...names]) {
    signal.throwIfAborted();
    const file = join(dir, name);
    const bytes = readFileSync(file);
    await writeWhole(
      fd,
      Buffer.concat([headerOf(name, bytes.length, statSync(file).mtimeMs), bytes, padding(bytes.length)]),
    );
    onProgress((done += bytes.length));
  }
  await writeWhole(fd, END);
}

/** Makes the folder of backups again that a stream is of. */
export async function readStream(
  input: AsyncIterable<Uint8Array | string>,
  dir: string,
  signal: AbortSignal,
  onProgress: Progress,
): Promise<void> {
  const take = taker(input, signal);
  let done = 0;
  for (;;) {
    const header = await take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const { name, size } = fileIn(header);
    const bytes = await take(size);
    await take(padding(size).length);
    const file = join(dir, name);
    makeFolder(dirname(file), 0o700);
    createFile(file, bytes, { durable: false, mode: 0o600 });
    onProgress((done += size));
  }
}

function headerOf(name: string, size: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (at: number, digits: number, value: number): void =>
    void header.write(value.toString(8).padStart(digits, '0'), at);
  header.write(name, OFFSETS.name);
  octal(OFFSETS.mode, 7, 0o600);
  octal(OFFSETS.mode + 8, 7, 0);
  octal(OFFSETS.mode + 16, 7, 0);
  octal(OFFSETS.size, 11, size);
  octal(OFFSETS.time, 11, Math.floor(time / 1000));
  header.write('0', OFFSETS.kind);
  header.write('ustar\u000000', OFFSETS.magic);
  octal(OFFSETS.sum, 6, sumOf(header));
  header.write('\u0000 ', OFFSETS.sum + 6);
  return header;
}

/** Of all bytes of a header, its own field read as blanks. */
function sumOf(header: Buffer): number {
  const own = header.subarray(OFFSETS.sum, OFFSETS.kind);
  const add = (sum: number, byte: number): number => sum + byte;
  return header.reduce(add, 0) - own.reduce(add, 0) + own.length * 0x20;
}

function fileIn(header: Buffer): { name: string; size: number } {
  const octal = (at: number, length: number): number => Number.parseInt(header.toString('latin1', at, at + length), 8);
  const name = header.toString('latin1', 0, OFFSETS.mode).replace(/\0.*$/s, '');
  const size = octal(OFFSETS.size, 12);
  if (octal(OFFSETS.sum, 7) === sumOf(header) && NAME.test(name) && size >= 0 && size <= LARGEST_FILE)
    return { name, size };
  throw unusable('this is not a backup that oka has written');
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** Takes so many bytes from a stream, however it is cut into chunks. */
function taker(input: AsyncIterable<Uint8Array | string>, signal: AbortSignal) {
  const chunks = input[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  return async (count: number): Promise<Buffer> => {
    const parts = [rest];
    let size = rest.length;
    while (size < count) {
      signal.throwIfAborted();
      const { value, done } = await chunks.next();
      if (done === true) throw unusable('the stream ends in the middle of a backup');
      const chunk = Buffer.from(value as Uint8Array);
      parts.push(chunk);
      size += chunk.length;
    }
    const all = Buffer.concat(parts);
    rest = all.subarray(count);
    return all.subarray(0, count);
  };
}

function unusable(why: string): OkaError {
  return new OkaError('invalid-file', why, {
    fix: 'Name a folder of backups, or give the stream of oka backup --to - as it was written.',
  });
}

const writeSome = promisify(write);

/** A pipe whose other end does not wait says that it is full. One that nobody reads any more means that there is no backup. */
async function writeWhole(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += (await writeSome(fd, bytes, at)).bytesWritten;
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN')
        throw new OkaError('write-failed', 'nobody has read the backup to its end', { cause: error });
      await sleep(10);
    }
  }
}
