/**
 * Owns: the open live file of a ledger: appending whole batches, flushing, and seeing that it is still the same file.
 *
 * F1 A write that fails leaves nothing behind: it is cut off and that is flushed, or the file counts as broken.
 * F2 Nothing is appended to a file that was removed, replaced or changed by somebody else.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, messageOf, OkaError } from '../schema/errors.ts';
import type { Flush } from '../schema/ports.ts';
import { isSameFile } from './chunks.ts';
import { assertRegularFile, describeErrno, makeFolder, syncFolder, writeAll } from './disk.ts';

export class LiveFile {
  readonly path: string;
  readonly #flush: Flush;
  #fd: number;
  #identity: Stats;
  /** Offset of its first byte, counted from the first event ever. */
  #base = 0;

  constructor(path: string, flush: Flush) {
    this.path = path;
    this.#flush = flush;
    this.#fd = openForAppending(path);
    this.#identity = fstatSync(this.#fd);
  }

  get fd(): number {
    return this.#fd;
  }

  /** Says where it begins; of an exchanged file, the new one is opened. */
  setBase(base: number): void {
    this.#base = base;
  }

  reopen(base: number): void {
    const before = this.#fd;
    this.#fd = openForAppending(this.path);
    closeSync(before);
    this.#identity = fstatSync(this.#fd);
    this.#base = base;
  }

  /** F1. `end` is where the file ends now. */
  append(bytes: Buffer, end: number): void {
    try {
      writeAll(this.#fd, bytes);
    } catch (error) {
      this.#rollBack(end, error);
      throw new OkaError(isDiskFull(error) ? 'disk-full' : 'write-failed', `${this.path}: ${messageOf(error)}`, {
        fix: isDiskFull(error) ? 'Free some space; work goes on by itself.' : 'Look at the disk.',
        cause: error,
      });
    }
  }

  /** Flushed, so that a rejected event cannot come back after a power cut. */
  #rollBack(end: number, cause: unknown): void {
    try {
      ftruncateSync(this.#fd, end - this.#base);
      this.flushNow();
    } catch (error) {
      const words = `${this.path}: a failed write could not be rolled back: ${messageOf(error)}`;
      throw new OkaError('flush-failed', words, { cause });
    }
  }

  flushNow(): void {
    this.#flush.now(this.#fd);
  }

  flushLater(): Promise<void> {
    return this.#flush.later(this.#fd);
  }

  /** F2. One look at the name tells whether it still leads to the file that is open, and how long that is. */
  assertUnchanged(end: number): void {
    const there = statSync(this.path, { throwIfNoEntry: false });
    const expected = end - this.#base;
    if (there !== undefined && isSameFile(this.#identity, there) && there.size === expected) return;
    const what =
      there === undefined
        ? 'was removed'
        : isSameFile(this.#identity, there)
          ? `has ${there.size} bytes instead of ${expected}`
          : 'was replaced by another file';
    throw new OkaError('ledger-replaced', `${this.path} ${what} while it was open`, {
      fix: 'Put the file back, then start again.',
    });
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function openForAppending(file: string): number {
  makeFolder(join(dirname(file), 'state'));
  assertRegularFile(file);
  const fresh = statSync(file, { throwIfNoEntry: false }) === undefined;
  try {
    const fd = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
    if (fresh) syncFolder(dirname(file));
    return fd;
  } catch (error) {
    throw describeErrno(error, file);
  }
}

export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
}
