/** Owns: reading the requests of other processes: complete, bounded, only regular files. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import { Intake } from '../../core/schema/intake.ts';

export type Taken = { name: string; id: string } & ({ intake: Intake } | { reason: string });

const MOST_BYTES = 1024 * 1024;
const NAME = /^([A-Za-z0-9][A-Za-z0-9_-]{0,100})\.json$/;

/** Requests sorted by name; files that are still being written have other names. */
export function readRequests(folder: string): Taken[] {
  return namesIn(folder).flatMap((name) => {
    const id = NAME.exec(name)?.[1];
    return id === undefined ? [] : [{ name, id, ...readOne(join(folder, name)) }];
  });
}

/** Call it once the request is in the ledger. */
export function removeRequest(folder: string, { name }: Taken): void {
  rmSync(join(folder, name), { force: true, recursive: true });
}

function readOne(file: string): { intake: Intake } | { reason: string } {
  try {
    return { intake: Intake.parse(JSON.parse(readText(file))) };
  } catch (error) {
    return { reason: messageOf(error).slice(0, 2000) };
  }
}

function readText(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, isFile } = assertPlainFile(fd);
    if (!isFile || size > MOST_BYTES)
      throw new Error(isFile ? `it is larger than ${MOST_BYTES} bytes` : 'it is not a regular file');
    const bytes = Buffer.alloc(size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, size, 0));
  } finally {
    closeSync(fd);
  }
}

function assertPlainFile(fd: number): { size: number; isFile: boolean } {
  const stats = fstatSync(fd);
  return { size: stats.size, isFile: stats.isFile() };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
