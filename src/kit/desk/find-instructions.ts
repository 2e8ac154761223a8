/**
 * Owns: finding, between two snapshots of the desk, the files AGENTS.md that a call has written.
 *
 * A copy of one that was there before is not among them, so that copying a folder does not turn what the operator wrote
 * into what a command wrote.
 */
import { baseName, type Bytes, toShownPath } from './open-folder.ts';
import type { Objects } from './object-store.ts';
import type { Step } from './plan-undo.ts';
import { entryKind, flattenTree, getTree } from './snapshot-tree.ts';

/** `oid` is the name of its content in the store (contentName). */
export type WrittenInstructions = { path: string; oid: string };

const NAME = /^agents\.md$/i;
const DEEPEST = 12;

export function findInstructions(objects: Objects, { before, after }: Step): WrittenInstructions[] {
  const found = findChanged(objects, before, after, '', 0);
  if (found.length === 0) return [];
  const known = new Set<string>();
  for (const [path, { oid }] of flattenTree(objects, before)) if (NAME.test(baseName(path))) known.add(oid);
  return found.filter(({ oid }) => !known.has(oid));
}

/** Folders that are equal are not read. */
function findChanged(
  objects: Objects,
  before: string | null,
  after: string,
  at: Bytes,
  depth: number,
): WrittenInstructions[] {
  if (before === after || depth > DEEPEST) return [];
  const old = before === null ? null : getTree(objects, before);
  return [...getTree(objects, after)].flatMap(([name, entry]): WrittenInstructions[] => {
    const path = at === '' ? name : `${at}/${name}`;
    const was = old?.get(name);
    const kind = entryKind(entry);
    if (kind === 'folder') {
      const folder = was !== undefined && entryKind(was) === 'folder' ? was.oid : null;
      return findChanged(objects, folder, entry.oid, path, depth + 1);
    }
    return kind === 'file' && NAME.test(name) && was?.oid !== entry.oid
      ? [{ path: toShownPath(path), oid: entry.oid }]
      : [];
  });
}
