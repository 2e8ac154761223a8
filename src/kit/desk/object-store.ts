/**
 * Owns: the store of what the desk was, in the format of a bare git repository (SHA-256): a person can inspect it with
 * git. Nothing here runs git, so nothing on the desk can make it do anything.
 *
 * O1 An object is whole or not there: written aside, flushed, and then renamed. A few are flushed one by one; many
 *    together with their whole file system, which takes less time.
 * O2 Content that is read is checked against its name.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants as zlib, deflateSync, inflateSync } from 'node:zlib';
import {
  describeErrno,
  listFolder,
  makeFolder,
  openTemporary,
  replaceFile,
  syncFolder,
  writeAll,
} from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { launch } from '../sandbox/launch.ts';

type ObjectKind = 'blob' | 'tree';

const flushFile = promisify(fsync);
/** Up to this many files stay open and are flushed one by one. */
const MAX_OPEN = 64;
/** `preciousObjects` stops git from deleting objects here. */
const CONFIG = `[core]
\trepositoryformatversion = 1
\tbare = true
\tfilemode = true
[extensions]
\tobjectformat = sha256
\tpreciousobjects = true
[gc]
\tauto = 0
`;

export class Objects {
  readonly folder: string;
  /** Bytes of new content, before compression. */
  newBytes = 0;
  /** Names that are known to be in the store. */
  readonly #there = new Set<string>();
  /** Written and not flushed yet, by name. */
  #waiting = new Map<string, { fd: number | null; temporary: string }>();
  readonly #flushAll: FlushAll;

  constructor(folder: string, flushAll: FlushAll = syncFileSystem) {
    this.folder = folder;
    this.#flushAll = flushAll;
  }

  /** Durable once `flush` has resolved. */
  put(kind: ObjectKind, bytes: Buffer): string {
    const name = this.nameOf(kind, bytes);
    if (!this.has(name)) this.#write(name, Buffer.concat([objectHeader(kind, bytes), bytes]));
    return name;
  }

  nameOf(kind: ObjectKind, bytes: Buffer): string {
    return createHash('sha256').update(objectHeader(kind, bytes)).update(bytes).digest('hex');
  }

  has(name: string): boolean {
    if (this.#there.has(name) || this.#waiting.has(name)) return true;
    if (!existsSync(this.#fileOf(name))) return false;
    this.#there.add(name);
    return true;
  }

  get(kind: ObjectKind, name: string): Buffer {
    const whole = this.#read(name);
    const start = whole.indexOf(0) + 1;
    const body = whole.subarray(start);
    if (whole.subarray(0, start).equals(objectHeader(kind, body)) && this.nameOf(kind, body) === name) return body;
    throw new OkaError('artifact-damaged', `${this.#fileOf(name)} is corrupted: its content does not match its name`);
  }

  async flush(): Promise<void> {
    const batch = [...this.#waiting];
    this.#waiting = new Map();
    if (batch.length === 0) return;
    try {
      const together = await this.#makeDurable(batch.map(([, each]) => each));
      for (const [name, { temporary }] of batch) renameSync(temporary, this.#fileOf(name));
      if (!together || !(await this.#flushAll(this.folder))) {
        for (const prefix of new Set(batch.map(([name]) => name.slice(0, 2)))) syncFolder(this.#at(prefix));
        syncFolder(this.#at(''));
      }
      for (const [name] of batch) this.#there.add(name);
    } catch (error) {
      throw describeErrno(error, this.folder);
    } finally {
      for (const [, { fd, temporary }] of batch) {
        if (fd !== null) closeSync(fd);
        rmSync(temporary, { force: true });
      }
    }
  }

  /** Whether the whole file system was flushed for it. */
  async #makeDurable(batch: { fd: number | null; temporary: string }[]): Promise<boolean> {
    const closed = batch.filter(({ fd }) => fd === null);
    if (closed.length > 0 && (await this.#flushAll(this.folder))) return true;
    for (const { temporary } of closed) flushByName(temporary);
    await Promise.all(batch.flatMap(({ fd }) => (fd === null ? [] : [flushFile(fd)])));
    return false;
  }

  bytesOf(name: string): number {
    return statSync(this.#fileOf(name), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Whether the store still exists; if not, everything known about it is forgotten. */
  isThere(): boolean {
    if (existsSync(join(this.folder, 'config'))) return true;
    this.#there.clear();
    return false;
  }

  /** Of every object in the store. */
  names(): string[] {
    const prefixes = listFolder(this.#at('')).filter((name) => /^[0-9a-f]{2}$/.test(name));
    return prefixes.flatMap((prefix) =>
      listFolder(this.#at(prefix)).flatMap((rest) => (/^[0-9a-f]{62}$/.test(rest) ? [prefix + rest] : [])),
    );
  }

  remove(name: string): void {
    this.#there.delete(name);
    rmSync(this.#fileOf(name), { force: true });
  }

  #write(name: string, whole: Buffer): void {
    this.#setUp(name);
    this.newBytes += whole.length;
    const temporary = this.#at(`${name.slice(0, 2)}/.${name.slice(2)}.${process.pid}.tmp`);
    try {
      const fd = writeTemporary(temporary, deflateSync(whole, { level: zlib.Z_BEST_SPEED }));
      const isOneOfFew = this.#waiting.size < MAX_OPEN;
      this.#waiting.set(name, { fd: isOneOfFew ? fd : null, temporary });
      if (!isOneOfFew) closeSync(fd);
    } catch (error) {
      throw describeErrno(error, temporary);
    }
  }

  #setUp(name: string): void {
    if (!existsSync(join(this.folder, 'config'))) {
      makeFolder(join(this.folder, 'refs'));
      makeFolder(this.#at(''));
      replaceFile(join(this.folder, 'HEAD'), 'ref: refs/heads/desk\n');
      replaceFile(join(this.folder, 'config'), CONFIG);
    }
    mkdirSync(this.#at(name.slice(0, 2)), { recursive: true, mode: 0o700 });
  }

  #read(name: string): Buffer {
    try {
      return inflateSync(readFileSync(this.#fileOf(name)));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT')
        throw new OkaError('artifact-missing', `${this.#fileOf(name)} is no longer stored`, { cause: error });
      if (errnoOf(error)?.startsWith('Z_') === true)
        throw new OkaError('artifact-damaged', `${this.#fileOf(name)} is damaged`, { cause: error });
      throw describeErrno(error, this.#fileOf(name));
    }
  }

  #fileOf(name: string): string {
    return this.#at(`${name.slice(0, 2)}/${name.slice(2)}`);
  }

  #at(path: string): string {
    return join(this.folder, 'objects', path);
  }
}

/** Makes everything durable that was written to the file system of this folder. False when that cannot be done. */
type FlushAll = (folder: string) => Promise<boolean>;

async function syncFileSystem(folder: string): Promise<boolean> {
  const options = { cwd: '/', env: { PATH: '/usr/bin:/bin' }, outputLimitBytes: 1000 };
  const { exit } = await launch(
    { argv: ['sync', '-f', folder] },
    { ...options, signal: new AbortController().signal, timeoutMs: 60_000 },
  );
  return exit === 0;
}

function flushByName(file: string): void {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const objectHeader = (kind: ObjectKind, { length }: Buffer): Buffer => Buffer.from(`${kind} ${length}\0`);

/** A file that could not be written completely, for example on a full disk, is removed, so that O1 also applies to the next attempt. */
function writeTemporary(file: string, bytes: Uint8Array): number {
  const fd = openTemporary(file, 0o444);
  try {
    writeAll(fd, bytes);
    return fd;
  } catch (error) {
    closeSync(fd);
    rmSync(file, { force: true });
    throw error;
  }
}
