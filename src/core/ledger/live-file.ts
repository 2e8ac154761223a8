/**
 * Owns: the open live file of a ledger: appending batches, flushing, and checking that it is still the same file.
 *
 * F1 A failed write leaves nothing behind: it is truncated away and that is flushed, or the file counts as broken.
 * F2 Nothing is appended to a file that somebody else removed, replaced or changed.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, messageOf, OkaError } from '../schema/errors.ts';
import type { Flush } from '../schema/ports.ts';
import { isSameFile, assertRegularFile, describeErrno, makeFolder, syncFolder, writeAll } from './disk.ts';

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

  /** Sets the offset of the first byte, counted from the first event ever. */
  setBase(base: number): void {
    this.#base = base;
  }

  /** Opens the file that archiving has put in the place of this one. */
  reopen(base: number): void {
    const before = this.#fd;
    this.#fd = openForAppending(this.path);
    closeSync(before);
    this.#identity = fstatSync(this.#fd);
    this.#base = base;
  }

  /** Appends all bytes or none (F1). `end` is where the file ends now. */
  append(bytes: Buffer, end: number): void {
    try {
      writeAll(this.#fd, bytes);
    } catch (error) {
      this.#rollBack(end, error);
      throw new OkaError(isDiskFull(error) ? 'disk-full' : 'write-failed', `${this.path}: ${messageOf(error)}`, {
        fix: isDiskFull(error) ? 'Free some space; work then continues automatically.' : 'Check the disk.',
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
      const words = `${this.path}: a write failed and could not be rolled back: ${messageOf(error)}`;
      throw new OkaError('flush-failed', words, { cause });
    }
  }

  flushNow(): void {
    this.#flush.now(this.#fd);
  }

  flushLater(): Promise<void> {
    return this.#flush.later(this.#fd);
  }

  /** Checks that the open file still has a name, and that its length is as expected (F2): all that can be seen without its path. */
  assertUnchanged(end: number): void {
    const { nlink, size } = fstatSync(this.#fd);
    if (nlink === 0 || size !== end - this.#base) this.assertInPlace(end);
  }

  /** Checks that the path still leads to the open file, and that its length is as expected (F2). */
  assertInPlace(end: number): void {
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
      fix: 'Put the original file back, then start again. Nothing was written to it.',
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
    const fd = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    if (fresh) syncFolder(dirname(file));
    return fd;
  } catch (error) {
    throw describeErrno(error, file);
  }
}

export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
}
