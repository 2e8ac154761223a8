/** Owns: where the live stream of a home is, and who may read it. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../schema/home.ts';

export const liveSocket = (home: Home): string => join(home.oka, 'state', 'live.sock');
/** What a reader sends first. Commands in the sandbox cannot read this file, whatever sockets they may open. */
export const liveKeyFile = (home: Home): string => join(home.oka, 'state', 'live.key');

/** The kernel's limit for the address of a socket. */
const LONGEST = 100;

/** The address of a socket that may be deep in folders: then its folder is named by an open handle. */
export async function socketAddress(home: Home): Promise<{ path: string; folder: FileHandle | null }> {
  const path = liveSocket(home);
  if (Buffer.byteLength(path) <= LONGEST) return { path, folder: null };
  const folder = await open(join(home.oka, 'state'));
  return { path: `/proc/self/fd/${folder.fd}/live.sock`, folder };
}
