/** Owns: what is accepted as the result of a scan. It may come from another process. */
import { OkaError } from '../../../core/schema/errors.ts';
import { NodeKindOfTree, TreeChanges } from '../../../core/schema/tree.ts';
import type { TreeReader } from '../model/tree-store.ts';

/** A list with more entries is checked by hand: a schema would take a second for a hundred thousand. */
const MOST_BY_SCHEMA = 2000;

export const SCANNED_MEANWHILE = 'another scan was recorded meanwhile';

/** Whether the tree is as the changes want it already. Throws when they are not changes of the tree as it is now. */
export function isKnownRoot({ root, base }: TreeChanges, tree: TreeReader): boolean {
  const now = tree.node('')?.id ?? null;
  if (now === root) return true;
  if (now === base) return false;
  throw new OkaError('refused', SCANNED_MEANWHILE, { fix: 'Scan again.' });
}

export function parseChanges(text: string): TreeChanges {
  const value = JSON.parse(text) as TreeChanges;
  const isShort = !Array.isArray(value.folders) || countEntries(value) <= MOST_BY_SCHEMA;
  const result = TreeChanges.safeParse(isShort ? value : { ...value, folders: [] });
  if (!result.success || (!isShort && !value.folders.every(isFolder)))
    throw new OkaError('invalid-file', 'this is not the result of a scan', {
      cause: result.error,
      fix: 'Scan again.',
    });
  return value;
}

const countEntries = ({ folders }: TreeChanges): number =>
  folders.reduce((sum, { put }) => sum + (Array.isArray(put) ? put.length : 0), folders.length);

const ID = /^[0-9a-f]{64}$/;
const kinds = new Set<string>(NodeKindOfTree.options);

function isFolder({ path, id, put, drop }: TreeChanges['folders'][number]): boolean {
  const isEntry = ([name, kind, own]: readonly unknown[]): boolean =>
    typeof name === 'string' && kinds.has(String(kind)) && typeof own === 'string' && ID.test(own);
  return typeof path === 'string' && ID.test(id) && put.every(isEntry) && drop.every(isEntry);
}
