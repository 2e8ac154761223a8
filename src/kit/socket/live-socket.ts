/** Owns: where the sockets of a home are (the live stream, memory), and who may use them. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';

export type SocketName = 'live' | 'memory';

export const socketFile = (home: Home, name: SocketName): string => join(home.oka, 'state', `${name}.sock`);
/** What a reader sends first. Commands in the sandbox cannot read this file, whatever sockets they may open. */
export const socketKeyFile = (home: Home, name: SocketName): string => join(home.oka, 'state', `${name}.key`);

/** The kernel's limit for the address of a socket. */
const LONGEST = 100;

/** The address of a socket that may be deep in folders: then its folder is named by an open handle. */
export async function socketAddress(
  home: Home,
  name: SocketName,
): Promise<{ path: string; folder: FileHandle | null }> {
  const path = socketFile(home, name);
  if (Buffer.byteLength(path) <= LONGEST) return { path, folder: null };
  const folder = await open(join(home.oka, 'state'));
  return { path: `/proc/self/fd/${folder.fd}/${name}.sock`, folder };
}
