/** Owns: going through a folder of the desk by descriptors, and stamps that show whether its content has changed. */
import { hash, randomUUID } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { failure } from '../../../kit/define-tool.ts';
import type { Folder } from './folder-handle.ts';
import { withPlace, describeErrno, withFolder } from './desk-place.ts';

const MAX_DEPTH = 100;
const MAX_STAMPED = 5000;
/** A file can change twice within a tick of the kernel's clock and have the same times. */
const FRESH_MS = 100;

export type Entry = { folder: Folder; name: string; path: string; kind: 'file' | 'folder' | 'link' | 'other' };

/** Sorted, links not followed. An entry's folder is open until the next entry is asked for. */
export async function* walkFolder(
  folder: Folder,
  path: string,
  deep: boolean,
  signal?: AbortSignal,
  depth = 0,
): AsyncGenerator<Entry> {
  if (depth > MAX_DEPTH) throw failure(`${path} is nested too deep`, 'Start further down.');
  const found = await readdir(folder.at(), { withFileTypes: true });
  for (const each of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    signal?.throwIfAborted();
    const shown = posix.join(path, each.name);
    const link = each.isSymbolicLink() ? 'link' : 'other';
    const kind = each.isFile() ? 'file' : each.isDirectory() ? 'folder' : link;
    yield { folder, name: each.name, path: shown, kind };
    if (kind !== 'folder' || !deep) continue;
    await using below = await describeErrno(shown, () => folder.enter(each.name));
    yield* walkFolder(below, shown, deep, signal, depth + 1);
  }
}

/** Another text whenever the file may be another; never the same twice for a file that has just been written. */
export async function stampFile(desk: string, path: string): Promise<string> {
  return await withPlace(desk, path, { links: 'followed' }, ({ folder, name }) => stampEntry(folder, name));
}

export async function stampFolder(desk: string, path: string, deep: boolean): Promise<string> {
  return await withFolder(desk, path, async (top) => {
    const stamps = [];
    for await (const { folder, name } of walkFolder(top, path, deep)) {
      if (stamps.push(await stampEntry(folder, name)) > MAX_STAMPED) return randomUUID();
    }
    return hash('sha256', stamps.join('\n'));
  });
}

async function stampEntry(folder: Folder, name: string): Promise<string> {
  const { dev, ino, size, mode, mtimeNs, ctimeNs, ctimeMs } = await lstat(folder.at(name), { bigint: true });
  if (Date.now() - Number(ctimeMs) < FRESH_MS) return randomUUID();
  return JSON.stringify([folder.real, name, ...[dev, ino, size, mode, mtimeNs, ctimeNs].map(String)]);
}
