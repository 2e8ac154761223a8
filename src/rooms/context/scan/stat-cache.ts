/**
 * Owns: what the last walk of a workspace saw: stat and id of every entry, so that the next one reads only what changed.
 *
 * 1. It is a cache: a file that is missing, damaged or of another version costs one complete read, and nothing else.
 * 2. An entry whose stat could still change without being noticed is stored with a stat that never matches.
 * 3. It is one flat file. Entries of a folder stand together, so those of an unchanged folder are copied as bytes.
 */
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { FolderTimes } from './folder-times.ts';
import type { ByteString } from './path-text.ts';

/** Size, mtime, ctime, inode. */
export const STATS = 4;
const ID_BYTES = 32;
const MAGIC = 'oka tree 2\n'.padEnd(16, '\0');
const HEADER = 32;

/** Entries stand in the order of the directory; `names` are joined by slashes, which no name contains. */
export type CachedFolder = {
  path: ByteString;
  names: string;
  first: number;
  count: number;
  id: string;
  rules: string;
  /** Null when the names have to be read again. */
  times: FolderTimes | null;
};

export type StatCache = {
  folders: ReadonlyMap<ByteString, CachedFolder>;
  stats: Float64Array;
  codes: Uint8Array;
  ids: Buffer;
};

export const emptyCache = (): StatCache => ({
  folders: new Map(),
  stats: new Float64Array(0),
  codes: new Uint8Array(0),
  ids: Buffer.alloc(0),
});

export const idAt = ({ ids }: StatCache, index: number): string =>
  ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES);

/** Whether two entries are of the same kind and content, whatever their stats. */
export function isSameEntry(a: StatCache, indexOfA: number, b: StatCache, indexOfB: number): boolean {
  const [inA, inB] = [indexOfA * ID_BYTES, indexOfB * ID_BYTES];
  return (
    a.codes[indexOfA] === b.codes[indexOfB] && a.ids.compare(b.ids, inB, inB + ID_BYTES, inA, inA + ID_BYTES) === 0
  );
}

/** Collects the entries of a walk, folder by folder. */
export class StatCacheBuilder {
  #stats: Float64Array;
  #codes: Uint8Array;
  #ids: Buffer;
  #count = 0;
  readonly #folders = new Map<ByteString, CachedFolder>();
  readonly #before: StatCache;
  /** Entries of the cache before that are still to be copied: unchanged folders mostly follow each other. */
  #run = { first: 0, count: 0 };

  constructor(before: StatCache) {
    this.#before = before;
    const room = before.codes.length + 1024;
    this.#stats = new Float64Array(room * STATS);
    this.#codes = new Uint8Array(room);
    this.#ids = Buffer.alloc(room * ID_BYTES);
  }

  /** Adds a folder of the cache before, with its entries as they were. */
  addKnown(folder: CachedFolder, times: FolderTimes | null): void {
    const { first, count } = folder;
    if (first !== this.#run.first + this.#run.count) {
      this.#copyRun();
      this.#run = { first, count: 0 };
    }
    this.#folders.set(folder.path, { ...folder, times, first: this.#count + this.#run.count });
    this.#run.count += count;
  }

  add(
    folder: Omit<CachedFolder, 'first' | 'count'>,
    entries: { stats: Float64Array; codes: Uint8Array; ids: Uint8Array },
  ): void {
    this.#copyRun();
    this.#folders.set(folder.path, { ...folder, first: this.#count, count: entries.codes.length });
    this.#append(entries);
  }

  finish(): StatCache {
    this.#copyRun();
    return {
      folders: this.#folders,
      stats: this.#stats.subarray(0, this.#count * STATS),
      codes: this.#codes.subarray(0, this.#count),
      ids: this.#ids.subarray(0, this.#count * ID_BYTES),
    };
  }

  #copyRun(): void {
    if (this.#run.count > 0) this.#append(cachedEntries(this.#before, this.#run));
    this.#run = { first: 0, count: 0 };
  }

  #append({ stats, codes, ids }: { stats: Float64Array; codes: Uint8Array; ids: Uint8Array }): void {
    this.#grow(codes.length);
    this.#stats.set(stats, this.#count * STATS);
    this.#codes.set(codes, this.#count);
    this.#ids.set(ids, this.#count * ID_BYTES);
    this.#count += codes.length;
  }

  #grow(more: number): void {
    if (this.#count + more <= this.#codes.length) return;
    const room = Math.max(this.#count + more, this.#codes.length * 2);
    const [stats, codes, ids] = [new Float64Array(room * STATS), new Uint8Array(room), Buffer.alloc(room * ID_BYTES)];
    stats.set(this.#stats);
    codes.set(this.#codes);
    ids.set(this.#ids);
    [this.#stats, this.#codes, this.#ids] = [stats, codes, ids];
  }
}

export const namesOf = ({ names, count }: CachedFolder): string[] => (count === 0 ? [] : names.split('/'));

/** The entries of a folder, as views into the cache. */
export function cachedEntries(cache: StatCache, { first, count }: Pick<CachedFolder, 'first' | 'count'>) {
  return {
    stats: cache.stats.subarray(first * STATS, (first + count) * STATS),
    codes: cache.codes.subarray(first, first + count),
    ids: cache.ids.subarray(first * ID_BYTES, (first + count) * ID_BYTES),
  };
}

/** The parts of the file, in their order; joining them would copy everything once more. */
export function encodeCache({ folders, stats, codes, ids }: StatCache): readonly Uint8Array[] {
  const table = Buffer.from(JSON.stringify([...folders.values()]));
  const body = [new Uint8Array(stats.buffer, stats.byteOffset, stats.byteLength), ids, codes, table];
  const header = Buffer.alloc(HEADER);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(codes.length, 16);
  header.writeUInt32LE(table.length, 20);
  header.writeUInt32LE(
    body.reduce((sum, part) => crc32(part, sum), 0),
    24,
  );
  return [header, ...body];
}

/** An empty cache when there is none that can be used (1). */
export function readCache(file: string): StatCache {
  try {
    return decodeCache(readFileSync(file));
  } catch {
    return emptyCache();
  }
}

function decodeCache(bytes: Buffer): StatCache {
  const count = bytes.readUInt32LE(16);
  const statsEnd = HEADER + count * STATS * 8;
  const idsEnd = statsEnd + count * ID_BYTES;
  const isWhole = bytes.length === idsEnd + count + bytes.readUInt32LE(20);
  if (bytes.toString('latin1', 0, 16) !== MAGIC || !isWhole) return emptyCache();
  if (crc32(bytes.subarray(HEADER)) !== bytes.readUInt32LE(24)) return emptyCache();
  const table = JSON.parse(bytes.toString('utf8', idsEnd + count)) as CachedFolder[];
  return {
    folders: new Map(table.map((folder) => [folder.path, folder])),
    stats: toNumbers(bytes.subarray(HEADER, statsEnd)),
    codes: bytes.subarray(idsEnd, idsEnd + count),
    ids: bytes.subarray(statsEnd, idsEnd),
  };
}

/** A view where the bytes stand at a place that numbers can be read from, else a copy. */
function toNumbers({ buffer, byteOffset, byteLength }: Buffer): Float64Array {
  const isAligned = byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
  return isAligned
    ? new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT)
    : new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
