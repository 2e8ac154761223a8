/** Ids of nodes. A file is the SHA-256 of its bytes; what else there is gets an id that no file has by chance. */
import { hash } from 'node:crypto';
import type { NodeID, TreeKind } from '../../../core/schema/tree.ts';
import type { ByteString } from './path-text.ts';

export type NamedNode = { name: ByteString; kind: TreeKind; id: NodeID };

/** The hash of names, kinds and ids, ordered by the bytes of the names. */
export function folderId(entries: readonly NamedNode[]): NodeID {
  const lines = entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, kind, id }) => `${kind} ${id} ${name}\0`);
  return hash('sha256', Buffer.from(`oka folder 1\n${lines.join('')}`, 'latin1'));
}

export const linkId = (target: ByteString): NodeID => hash('sha256', Buffer.from(`oka link 1\n${target}`, 'latin1'));

export const skippedId = (reason: string): NodeID => hash('sha256', `oka skipped 1\n${reason}`);
