/** Owns: going through a folder of the desk by descriptors, and stamps that tell whether what is in it has changed. */
import { hash, randomUUID } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { failure } from './define.ts';
import type { Folder } from './folder.ts';
import { atPlace, explained, inFolder } from './place.ts';

const DEEPEST = 100;
const MOST_STAMPED = 5000;
/** A file can change twice within a tick of the kernel's clock and keep its times. */
const FRESH_MS = 100;

export type Entry = { folder: Folder; name: string; path: string; kind: 'file' | 'folder' | 'link' | 'other' };

/** Sorted, links not followed. An entry's folder is open until the next entry is asked for. */
export async function* walk(
  folder: Folder,
  path: string,
  deep: boolean,
  signal?: AbortSignal,
  depth = 0,
): AsyncGenerator<Entry> {
  if (depth > DEEPEST) throw failure(`${path} is nested too deep`, 'Start further down.');
  const found = await readdir(folder.at(), { withFileTypes: true });
  for (const each of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    signal?.throwIfAborted();
    const shown = posix.join(path, each.name);
    const link = each.isSymbolicLink() ? 'link' : 'other';
    const kind = each.isFile() ? 'file' : each.isDirectory() ? 'folder' : link;
    yield { folder, name: each.name, path: shown, kind };
    if (kind !== 'folder' || !deep) continue;
    await using below = await explained(shown, () => folder.enter(each.name));
    yield* walk(below, shown, deep, signal, depth + 1);
  }
}

/** Another text whenever the file may be another; never the same twice for a file that has just been written. */
export async function stampOfFile(desk: string, path: string): Promise<string> {
  return await atPlace(desk, path, { links: 'followed' }, ({ folder, name }) => stampOf(folder, name));
}

export async function stampOfFolder(desk: string, path: string, deep: boolean): Promise<string> {
  return await inFolder(desk, path, async (top) => {
    const stamps = [];
    for await (const { folder, name } of walk(top, path, deep)) {
      if (stamps.push(await stampOf(folder, name)) > MOST_STAMPED) return randomUUID();
    }
    return hash('sha256', stamps.join('\n'));
  });
}

async function stampOf(folder: Folder, name: string): Promise<string> {
  const { dev, ino, size, mode, mtimeNs, ctimeNs, ctimeMs } = await lstat(folder.at(name), { bigint: true });
  if (Date.now() - Number(ctimeMs) < FRESH_MS) return randomUUID();
  return JSON.stringify([folder.real, name, ...[dev, ino, size, mode, mtimeNs, ctimeNs].map(String)]);
}
