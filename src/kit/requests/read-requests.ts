/** Owns: reading the requests of other processes: complete, bounded, only regular files. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import { Intake } from '../../core/schema/intake.ts';

export type Taken = { name: string; id: string } & ({ intake: Intake } | { reason: string });

const MOST_BYTES = 1024 * 1024;
/** What was taken and not handled to its end has another ending (request-replies.ts). */
const NAME = /^([A-Za-z0-9][A-Za-z0-9_-]{0,100})\.(?:json|taken)$/;

/** How long what is no JSON may still become a request: another program may write it in place. */
const SETTLE_MS = 5000;

/** Requests sorted by name; files that are still being written have other names, or are read when they are complete. */
export function readRequests(folder: string, now = Date.now()): Taken[] {
  return namesIn(folder).flatMap((name) => {
    const id = NAME.exec(name)?.[1];
    const read = id === undefined ? null : readOne(join(folder, name), now);
    return id === undefined || read === null ? [] : [{ name, id, ...read }];
  });
}

/** Call it once the request is in the ledger. */
export function removeRequest(folder: string, { name }: Taken): void {
  rmSync(join(folder, name), { force: true, recursive: true });
}

/** Null while it is not complete. */
function readOne(file: string, now: number): { intake: Intake } | { reason: string } | null {
  try {
    const { text, changed } = readText(file);
    const found = parseJson(text);
    if (found instanceof Error && Math.abs(now - changed) < SETTLE_MS) return null;
    if (found instanceof Error) throw found;
    return { intake: Intake.parse(found) };
  } catch (error) {
    return { reason: messageOf(error).slice(0, 2000) };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

function readText(file: string): { text: string; changed: number } {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, isFile, changed } = assertPlainFile(fd);
    if (!isFile || size > MOST_BYTES)
      throw new Error(isFile ? `it is larger than ${MOST_BYTES} bytes` : 'it is not a regular file');
    const bytes = Buffer.alloc(size);
    return { text: bytes.toString('utf8', 0, readSync(fd, bytes, 0, size, 0)), changed };
  } finally {
    closeSync(fd);
  }
}

function assertPlainFile(fd: number): { size: number; isFile: boolean; changed: number } {
  const stats = fstatSync(fd);
  return { size: stats.size, isFile: stats.isFile(), changed: stats.mtimeMs };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
