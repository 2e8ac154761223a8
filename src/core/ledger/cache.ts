/** Results of cacheable calls, one file each. A lost result only costs time; a damaged one counts as missing. */
import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../schema/json.ts';
import type { Cache } from '../schema/ports.ts';
import { makeFolder, replaceFile } from './disk.ts';

export function openCache(folder: string): Cache {
  return {
    get: async (key) => {
      const file = join(folder, `${key}.json`);
      return lstatSync(file, { throwIfNoEntry: false })?.isFile()
        ? parseJsonOrNull(await readFile(file, 'utf8'))
        : null;
    },
    set: async (key, value) => {
      makeFolder(folder);
      replaceFile(join(folder, `${key}.json`), JSON.stringify(value));
    },
  };
}

function parseJsonOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
