/** Owns: folders that stay open, so that everything in them is accessed by descriptor and not by name. */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../../core/schema/errors.ts';
import { Refused } from '../../../kit/define-tool.ts';

/** Without it (macOS) names are used after a check, which leaves a gap between check and use. */
export const BY_DESCRIPTOR = existsSync('/proc/self/fd');

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

export class Folder implements AsyncDisposable {
  readonly handle: FileHandle;
  /** Where it was when it was opened; only for messages. */
  readonly real: string;

  constructor(handle: FileHandle, real: string) {
    this.handle = handle;
    this.real = real;
  }

  /** A path of this folder, or of a name in it, wherever the folder may be by now. */
  at(name = ''): string {
    return join(BY_DESCRIPTOR ? `/proc/self/fd/${this.handle.fd}` : this.real, name);
  }

  /** Opens a folder in it; one that has just turned into a link is refused. */
  async enter(name: string): Promise<Folder> {
    try {
      return new Folder(await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW), join(this.real, name));
    } catch (error) {
      const swapped = errnoOf(error) === 'ELOOP' || (errnoOf(error) === 'ENOTDIR' && (await this.hasLink(name)));
      if (!swapped) throw error;
      throw new Refused(`${name} has turned into a link`, 'Nothing is done through a link that appears on the way.');
    }
  }

  /** Where it is now. */
  async whereabouts(): Promise<string> {
    return BY_DESCRIPTOR ? await readlink(`/proc/self/fd/${this.handle.fd}`) : await realpath(this.real);
  }

  async hasLink(name: string): Promise<boolean> {
    try {
      return (await lstat(this.at(name))).isSymbolicLink();
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
  }
}

/** The folder itself may be named by a link: who sets the desk says where it is. */
export async function openTop(path: string): Promise<Folder> {
  const real = await realpath(path);
  return new Folder(await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), real);
}
