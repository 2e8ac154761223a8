/**
 * Owns: working in a folder through descriptors, so that a folder swapped for a link in between leads nowhere.
 * Names and paths here are bytes read as Latin-1 (`Bytes`): every name there can be, and an order that is that of bytes.
 *
 * Without /proc (macOS) names are used, and there is a gap between opening a folder and using it.
 */
import { closeSync, constants, existsSync, lstatSync, openSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { errnoOf } from '../../core/schema/errors.ts';

/** A name or a path below the desk, one character for each byte. */
export type Bytes = string;

const BY_DESCRIPTOR = existsSync('/proc/self/fd');

export const toShownPath = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('utf8');
export const toBytesPath = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1');
export const parentPath = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** All folders above, the topmost first. */
export function ancestorPaths(path: Bytes): Bytes[] {
  const above = parentPath(path);
  return above === '' ? [] : [...ancestorPaths(above), above];
}
export const baseName = (path: Bytes): Bytes => path.slice(path.lastIndexOf('/') + 1);

export class OpenFolder implements Disposable {
  readonly fd: number;
  readonly #path: Bytes;

  constructor(path: string | Buffer) {
    const real = Buffer.from(path);
    this.fd = openSync(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    this.#path = BY_DESCRIPTOR ? `/proc/self/fd/${this.fd}` : real.toString('latin1');
  }

  /** Where the name can be used in a call of the system. */
  at(name: Bytes): Buffer {
    return Buffer.from(`${this.#path}/${name}`, 'latin1');
  }

  /** Sorted. */
  names(): Bytes[] {
    return readdirSync(this.at(''), { encoding: 'buffer' })
      .map((name) => name.toString('latin1'))
      .toSorted();
  }

  stat(name: Bytes): Stats | undefined {
    return lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  enter(name: Bytes): OpenFolder {
    return new OpenFolder(this.at(name));
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/** The folder itself may be reached through links; nothing below it is. */
export const openTopFolder = (folder: string): OpenFolder => new OpenFolder(realpathSync(folder));

/** Null when the folder is not there, or is a link or a file. */
export function withFolderAt<T>(top: string, folder: Bytes, act: (held: OpenFolder) => T): T | null {
  let held = openTopFolder(top);
  try {
    for (const name of folder === '' ? [] : folder.split('/')) {
      const below = held.enter(name);
      held[Symbol.dispose]();
      held = below;
    }
    return act(held);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  } finally {
    held[Symbol.dispose]();
  }
}

export const isAbsence = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '');
