/** The names in a folder as bytes, and which of them are files. */
import { readdirSync } from 'node:fs';
import type { ByteString } from './path-text.ts';

/** `isFile` is empty where that is not known. */
type FolderNames = { names: readonly ByteString[]; isFile: readonly boolean[] };

export function readNames(folder: string | Buffer, withKinds: boolean): FolderNames {
  return (withKinds ? readKinds(folder) : null) ?? { names: readdirSync(folder, 'latin1'), isFile: [] };
}

/** Null where it fails: on some file systems the kind of each name is asked for by its text, which may be no UTF-8. */
function readKinds(folder: string | Buffer): FolderNames | null {
  try {
    const found = readdirSync(folder, { encoding: 'latin1', withFileTypes: true });
    return { names: found.map(({ name }) => name), isFile: found.map((entry) => entry.isFile()) };
  } catch {
    return null;
  }
}
