/**
 * Reads a file of a workspace as the scan found it.
 *
 * 1. No link is followed on the way to it: what was a folder may have become a link to anywhere.
 * 2. Null when it is gone or, unless `isExact` is false, when its content is no longer what the node says.
 */
import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import type { NodeRecord } from '../../../core/schema/tree.ts';
import { fromPathText } from '../scan/path-text.ts';
import type { ReadSource } from './frame-order.ts';
import type { Workspace } from '../tree-port.ts';

/** Larger files are not read into memory; a frame says no more of them than their size. */
const MOST_BYTES = 32 * 1024 * 1024;

export function readSourceIn(workspaces: readonly Workspace[], { isExact = true } = {}): ReadSource {
  return async (name, node) => {
    const folder = workspaces.find((one) => one.name === name)?.folder;
    if (folder === undefined) return null;
    if (node.size > MOST_BYTES) return { text: null };
    const bytes = await readBelow(folder, node);
    if (bytes === null || (isExact && hash('sha256', bytes) !== node.id)) return null;
    return { text: bytes.toString('utf8') };
  };
}

async function readBelow(folder: string, { path }: NodeRecord): Promise<Buffer | null> {
  const at = (below: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(below, 'latin1')]);
  const bytes = fromPathText(path);
  try {
    for (let end = bytes.indexOf('/'); end !== -1; end = bytes.indexOf('/', end + 1)) {
      if ((await lstat(at(bytes.slice(0, end)))).isSymbolicLink()) return null;
    }
    const file = await open(at(bytes), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).isFile() ? await file.readFile() : null;
    } finally {
      await file.close();
    }
  } catch {
    return null; // gone, or not to be read any more: the next scan records it
  }
}
