/** The hash and the size of everything in a folder: two folders with the same hash have the same content. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

type TreeMeasure = { tree: string; bytes: number };

export async function measureTree(folder: string): Promise<TreeMeasure> {
  const all = createHash('sha256');
  let bytes = 0;
  await visit('');
  return { tree: all.digest('hex'), bytes };

  async function visit(path: string): Promise<void> {
    const found = await lstat(join(folder, path));
    if (found.isDirectory()) {
      all.update(`d ${JSON.stringify(path)}\n`);
      const names = await readdir(join(folder, path));
      for (const name of names.toSorted()) await visit(path === '' ? name : `${path}/${name}`);
    } else if (found.isSymbolicLink()) all.update(`l ${JSON.stringify([path, await readlink(join(folder, path))])}\n`);
    else if (found.isFile()) {
      bytes += found.size;
      all.update(`f ${JSON.stringify([path, (found.mode & 0o111) !== 0, await fileHash(join(folder, path))])}\n`);
    } else all.update(`? ${JSON.stringify(path)}\n`);
  }
}

export async function fileHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
