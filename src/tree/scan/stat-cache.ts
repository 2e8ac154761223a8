/**
 * Owns: what the last walk of a workspace saw: stat and id of every entry, so that the next one reads only what changed.
 *
 * 1. It is a cache: a file that is missing, damaged or of another version costs one complete read, and nothing else.
 * 2. An entry whose stat could still change without being noticed is stored with a stat that never matches.
 * 3. It is one flat file. Entries of a folder stand together, so those of an unchanged folder are copied as bytes.
 */
import { readFileSync } from 'node:fs';
import type { ByteString } from './path-text.ts';

/** Size, mtime, ctime, inode. */
export const STATS = 4;
const ID_BYTES = 32;
const MAGIC = 'oka tree 1\n'.padEnd(16, '\0');
const HEADER = 32;

/** Entries stand in the order of the directory; `names` are joined by slashes, which no name contains. */
export type CachedFolder = { path: ByteString; names: string; first: number; count: number; id: string; rules: string };

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

/** Collects the entries of a walk, folder by folder. */
export class StatCacheBuilder {
  #stats: Float64Array;
  #codes: Uint8Array;
  #ids: Buffer;
  #count = 0;
  readonly #folders = new Map<ByteString, CachedFolder>();

  constructor(expected: number) {
    const room = Math.max(1024, expected);
    this.#stats = new Float64Array(room * STATS);
    this.#codes = new Uint8Array(room);
    this.#ids = Buffer.alloc(room * ID_BYTES);
  }

  add(
    folder: Omit<CachedFolder, 'first' | 'count'>,
    entries: { stats: Float64Array; codes: Uint8Array; ids: Uint8Array },
  ): void {
    const count = entries.codes.length;
    this.#grow(count);
    this.#stats.set(entries.stats, this.#count * STATS);
    this.#codes.set(entries.codes, this.#count);
    this.#ids.set(entries.ids, this.#count * ID_BYTES);
    this.#folders.set(folder.path, { ...folder, first: this.#count, count });
    this.#count += count;
  }

  finish(): StatCache {
    return {
      folders: this.#folders,
      stats: this.#stats.subarray(0, this.#count * STATS),
      codes: this.#codes.subarray(0, this.#count),
      ids: this.#ids.subarray(0, this.#count * ID_BYTES),
    };
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

/** The entries of a folder, as views into the cache. */
export function cachedEntries(cache: StatCache, { first, count }: CachedFolder) {
  return {
    stats: cache.stats.subarray(first * STATS, (first + count) * STATS),
    codes: cache.codes.subarray(first, first + count),
    ids: cache.ids.subarray(first * ID_BYTES, (first + count) * ID_BYTES),
  };
}

export function encodeCache({ folders, stats, codes, ids }: StatCache): Buffer {
  const table = Buffer.from(JSON.stringify([...folders.values()]));
  const header = Buffer.alloc(HEADER);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(codes.length, 16);
  header.writeUInt32LE(table.length, 20);
  return Buffer.concat([header, Buffer.from(stats.buffer, stats.byteOffset, stats.byteLength), ids, codes, table]);
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
  const table = JSON.parse(bytes.toString('utf8', idsEnd + count)) as CachedFolder[];
  return {
    folders: new Map(table.map((folder) => [folder.path, folder])),
    stats: new Float64Array(bytes.buffer.slice(bytes.byteOffset + HEADER, bytes.byteOffset + statsEnd)),
    codes: bytes.subarray(idsEnd, idsEnd + count),
    ids: bytes.subarray(statsEnd, idsEnd),
  };
}
