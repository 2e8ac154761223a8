/**
 * Owns: the rows of all context trees, folded from the run ledger.
 * Does not own: reading them (tree-store.ts), where they are stored (rooms/context/tree/tree-index.ts).
 *
 * F1 Rows follow from events and the artifacts they name; folding again gives the same rows.
 * F2 A head moves with the event that adds its frame, so the two are never apart.
 * F3 Frames are never changed: a frame row is written once, and the first body stays.
 * F4 The stale rows say exactly which heads no longer have the basis they were made from (stale-heads.ts).
 */
import type { Event } from '../../../core/schema/event.ts';
import { FrameBody } from '../../../core/schema/frame.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { View } from '../../../core/schema/view.ts';
import { applyChanges } from './apply-changes.ts';
import { compactHistory } from './compact-history.ts';
import { countFrames } from './frame-count.ts';
import { movePlace } from './move-place.ts';
import { refreshStale } from './stale-heads.ts';
import { type FrameRow, headOf, parentPath, type PlaceRow, treeKeys } from './tree-rows.ts';

const TYPES = ['tree.scanned', 'tree.restored', 'tree.compacted', 'frame.put', 'frame.invalidated'] as const;
type TreeEvent = Extract<Event, { type: (typeof TYPES)[number] }>;

export const treeFold: View = {
  name: 'tree',
  version: 3,
  types: TYPES,
  wants: (event) => {
    if (event.type === 'tree.scanned') return [event.data.changes.sha256];
    return event.type === 'frame.put' && event.data.inputs > 0 ? [event.data.body.sha256] : [];
  },
  take: ({ event, text }, rows) => foldTree(event as TreeEvent, rows, text),
};

function foldTree(event: TreeEvent, rows: Rows, text: (sha256: string) => string | null): void {
  switch (event.type) {
    case 'tree.scanned':
      return foldScan(event, rows, text(event.data.changes.sha256));
    case 'tree.restored':
      movePlace(rows, event.data.workspace, event.data.from, event.data.to);
      return refreshStale(rows, event.data.workspace, event.data.to);
    case 'tree.compacted':
      return compactHistory(rows, event.data.workspace, event.data.before);
    case 'frame.put':
      return foldFrame(event, rows, text);
    case 'frame.invalidated': {
      const { workspace, path, frames, reason } = event.data;
      for (const id of frames) rows.put(treeKeys.invalid(workspace, path, id), reason);
      return refreshStale(rows, workspace, path);
    }
  }
}

function foldScan({ data, at, seq }: Extract<Event, { type: 'tree.scanned' }>, rows: Rows, text: string | null): void {
  const { workspace, root, base, changes, ...totals } = data;
  rows.put(treeKeys.summary(workspace), { ...totals, root, scanned_at: at, seq });
  rows.put(treeKeys.root(workspace, seq), { root, base, at, changes: changes.sha256 });
  if (text !== null) applyChanges(rows, workspace, JSON.parse(text), at);
}

function foldFrame(
  event: Extract<Event, { type: 'frame.put' }>,
  rows: Rows,
  text: (sha256: string) => string | null,
): void {
  const { workspace, path, id, type } = event.data;
  if (rows.get(treeKeys.frame(workspace, id)) === undefined) addFrame(event.data, rows, text);
  rows.put(treeKeys.attached(workspace, path, event.seq), { id, at: event.at });
  countFrames(rows, workspace, 1);
  const place = rows.get<PlaceRow>(treeKeys.place(workspace, path)) ?? { heads: [] };
  const others = place.heads.filter(([own]) => own !== type);
  const isNewHead = headOf(place, type) !== id;
  rows.put(treeKeys.place(workspace, path), { heads: [...others, [type, id]].toSorted(byType) });
  rows.put(treeKeys.invalid(workspace, path, id), null);
  refreshStale(rows, workspace, path);
  const parent = parentPath(path);
  if (isNewHead && parent !== null) refreshStale(rows, workspace, parent);
}

const byType = ([a = '']: string[], [b = '']: string[]): number => (a < b ? -1 : 1);

function addFrame(
  data: Extract<Event, { type: 'frame.put' }>['data'],
  rows: Rows,
  text: (sha256: string) => string | null,
): void {
  const { workspace, id, node, type, basis, agent, origin, model, takes, body, inputs } = data;
  const stored = inputs > 0 ? text(body.sha256) : null;
  const row: FrameRow = {
    node,
    type,
    basis,
    agent,
    origin,
    ...(model === undefined ? {} : { model }),
    body: body.sha256,
    inputs: stored === null ? [] : FrameBody.parse(JSON.parse(stored)).basis.inputs,
    ...(takes === undefined ? {} : { takes }),
  };
  rows.put(treeKeys.frame(workspace, id), row);
  const known = rows.get<string[]>(treeKeys.basis(workspace, basis)) ?? [];
  rows.put(treeKeys.basis(workspace, basis), [...known, id]);
}
