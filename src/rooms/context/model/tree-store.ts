/**
 * Owns: reading one context tree out of its rows: nodes, frames, heads, what is stale.
 * Does not own: how rows come about (tree-fold.ts), the texts of frames (artifacts), selecting frames (compose-view.ts).
 *
 * T1 Reading writes nothing, and depends on nothing but the rows.
 * T2 Every answer is about one workspace: no key of another one is read.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import type { FrameID, FrameRecord } from '../../../core/schema/frame.ts';
import type { NodeID, NodeRecord } from '../../../core/schema/tree.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { frameCount } from './frame-count.ts';
import {
  type AttachedRow,
  baseName,
  type EntryRow,
  findEntry,
  type FolderRow,
  type FrameRow,
  headOf,
  joinPath,
  parentPath,
  type PlaceRow,
  type RootRow,
  seqOfKey,
  type SummaryRow,
  treeKeys,
} from './tree-rows.ts';

/** A frame of a child that a frame of its folder is made from. */
export type InputFrame = { path: string; node: NodeID; frame: FrameID; type: string };
/** A head whose basis is no longer what it was. */
export type StaleHead = { path: string; type: string; frame: FrameID; reason: string };
/** A scan that changed something, the oldest first. */
export type ScannedRoot = RootRow & { seq: number };

export type TreeReader = {
  readonly workspace: string;
  /** Null before the first scan. */
  summary: () => SummaryRow | null;
  /** Null when there is no such node now. */
  node: (path: string) => NodeRecord | null;
  /** The nodes in a folder, ordered by name; empty for everything else. */
  children: (path: string) => NodeRecord[];
  /** All frames that were added to a path, the oldest first; also when its node has left the tree. */
  frames: (path: string) => FrameRecord[];
  frameCount: (path: string) => number;
  /** How many frames the workspace has. */
  totalFrames: () => number;
  head: (path: string, type: string) => FrameRecord | null;
  /** The latest frame of each type, ordered by type. */
  heads: (path: string) => FrameRecord[];
  /** The heads of the children of a folder, ordered by node id, then by frame id; * means heads of all types. */
  childFrames: (path: string, type: string) => InputFrame[];
  /** The heads that are stale at a path and below it, ordered by path. */
  stale: (under?: string) => StaleHead[];
  /** The frames that were made from exactly this basis. */
  withBasis: (basis: string) => FrameID[];
  /** What a frame was made from, and where its text is; null when there is no such frame. */
  frame: (id: FrameID) => FrameRow | null;
  /** Paths with frames, at a path and below it; also those whose node has left the tree, with `left`. */
  places: (under?: string) => Iterable<[path: string, place: PlaceRow]>;
  roots: () => ScannedRoot[];
  /** The path of a node that a person named by its path or by the beginning of its id. Throws when there is no such one. */
  find: (name: string) => string;
  /** The same for a frame. */
  findFrame: (name: string) => FrameID;
};

/** The paths of nodes whose ids begin with `start` in the tree with this root; null when that is not known. */
export type IdPaths = (root: NodeID, start: string) => string[] | null;

/** `idPaths` only makes finding nodes by id faster. */
export function readTree(rows: Rows, workspace: string, idPaths: IdPaths = () => null): TreeReader {
  const tree: TreeReader = {
    workspace,
    summary: () => rows.get<SummaryRow>(treeKeys.summary(workspace)) ?? null,
    node: (path) => readNode(rows, workspace, path),
    children: (path) => entriesOf(rows, workspace, path).map((entry) => toRecord(joinPath(path, entry[0]), entry)),
    frames: (path) => [...attachedFrames(rows, workspace, path)],
    frameCount: (path) => [...rows.each(treeKeys.attachedTo(workspace, path))].length,
    totalFrames: () => frameCount(rows, workspace),
    head: (path, type) => tree.heads(path).find((frame) => frame.type === type) ?? null,
    heads: (path) => currentHeads(tree.frames(path)),
    childFrames: (path, type) => childFrames(rows, workspace, path, type),
    stale: (under = '') => [...staleHeads(rows, workspace, under)],
    withBasis: (basis) => rows.get<FrameID[]>(treeKeys.basis(workspace, basis)) ?? [],
    frame: (id) => rows.get<FrameRow>(treeKeys.frame(workspace, id)) ?? null,
    places: (under = '') => placesBelow(rows, workspace, under),
    roots: () =>
      [...rows.each<RootRow>(treeKeys.roots(workspace))].map(([key, root]) => ({ ...root, seq: seqOfKey(key) })),
    find: (name) => findPath(rows, workspace, name, idPaths),
    findFrame: (name) => findFrame(rows, workspace, name),
  };
  return tree;
}

/** Exported for folds, which read rows while they change. */
export function readNode(rows: Rows, workspace: string, path: string): NodeRecord | null {
  const parent = parentPath(path);
  if (parent === null) {
    const root = rows.get<FolderRow>(treeKeys.folder(workspace, ''));
    return root === undefined ? null : { id: root.id, path: '', kind: 'folder', size: root.entries.length };
  }
  const entry = findEntry(entriesOf(rows, workspace, parent), baseName(path));
  return entry === undefined ? null : toRecord(path, entry);
}

const entriesOf = (rows: Rows, workspace: string, path: string): readonly EntryRow[] =>
  rows.get<FolderRow>(treeKeys.folder(workspace, path))?.entries ?? [];

const toRecord = (path: string, [, kind, id, size, reason]: EntryRow): NodeRecord => ({
  id,
  path,
  kind,
  size,
  ...(reason === undefined ? {} : { reason }),
});

function* attachedFrames(rows: Rows, workspace: string, path: string): Generator<FrameRecord> {
  const place = rows.get<PlaceRow>(treeKeys.place(workspace, path));
  for (const [key, { id, at }] of rows.each<AttachedRow>(treeKeys.attachedTo(workspace, path))) {
    const frame = rows.get<FrameRow>(treeKeys.frame(workspace, id));
    if (frame === undefined) continue;
    const { inputs: _inputs, takes: _takes, ...about } = frame;
    const isHead = headOf(place, frame.type) === id;
    const stale = isHead ? rows.get<string>(treeKeys.stale(workspace, path, frame.type)) : undefined;
    yield { id, ...about, at, seq: seqOfKey(key), is_head: isHead, ...(stale === undefined ? {} : { stale }) };
  }
}

/** A frame that was added again after another one is listed twice; its last place counts. */
function currentHeads(frames: readonly FrameRecord[]): FrameRecord[] {
  const heads = new Map(frames.filter((frame) => frame.is_head).map((frame) => [frame.type, frame]));
  return [...heads.values()].toSorted((a, b) => compareText(a.type, b.type));
}

/** Exported for the fold, which compares this with what a frame was made from. */
export function childFrames(rows: Rows, workspace: string, path: string, type: string): InputFrame[] {
  const found: InputFrame[] = [];
  for (const [name, , node] of entriesOf(rows, workspace, path)) {
    const child = joinPath(path, name);
    for (const [own, frame] of rows.get<PlaceRow>(treeKeys.place(workspace, child))?.heads ?? [])
      if (type === '*' || own === type) found.push({ path: child, node, frame, type: own });
  }
  return found.toSorted((a, b) => compareText(a.node, b.node) || compareText(a.frame, b.frame));
}

function* staleHeads(rows: Rows, workspace: string, under: string): Generator<StaleHead> {
  for (const [key, reason] of rows.each<string>(treeKeys.allStale(workspace))) {
    const [path = '', type = ''] = key.slice(treeKeys.allStale(workspace).length).split('//');
    if (!isAtOrBelow(path, under)) continue;
    const frame = headOf(rows.get<PlaceRow>(treeKeys.place(workspace, path)), type);
    if (frame !== undefined) yield { path, type, frame, reason };
  }
}

function* placesBelow(rows: Rows, workspace: string, under: string): Generator<[string, PlaceRow]> {
  const prefix = treeKeys.places(workspace);
  for (const [key, place] of rows.each<PlaceRow>(`${prefix}${under}`)) {
    const path = key.slice(prefix.length);
    if (isAtOrBelow(path, under)) yield [path, place];
  }
}

export const isAtOrBelow = (path: string, under: string): boolean =>
  under === '' || path === under || path.startsWith(`${under}/`);

function findPath(rows: Rows, workspace: string, name: string, idPaths: IdPaths): string {
  const path = name.replace(/^(\.\/+)+|^\.$/, '').replace(/\/+$/, '');
  if (readNode(rows, workspace, path) !== null) return path;
  const found = /^[0-9a-f]{4,64}$/.test(name) ? pathsOfId(rows, workspace, name, idPaths) : [];
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    throw new OkaError('usage', `"${name}" is the id of ${found.length} nodes: ${found.slice(0, 5).join(', ')}`, {
      fix: 'Name the one you mean by its path.',
    });
  throw new OkaError('usage', `there is no node "${name}" in the context tree of ${workspace}`, {
    fix: 'Scan again if the file is new: oka context scan',
  });
}

/** What may be the path is checked; without that every folder is read. */
function pathsOfId(rows: Rows, workspace: string, start: string, idPaths: IdPaths): string[] {
  const root = rows.get<FolderRow>(treeKeys.folder(workspace, ''))?.id ?? '';
  const likely = idPaths(root, start);
  const found = likely?.filter((path) => readNode(rows, workspace, path)?.id.startsWith(start) === true);
  return [...(root.startsWith(start) ? [''] : []), ...(found ?? searchFolders(rows, workspace, start))];
}

function* searchFolders(rows: Rows, workspace: string, start: string): Generator<string> {
  const prefix = treeKeys.folders(workspace);
  for (const [key, folder] of rows.each<FolderRow>(prefix))
    for (const [name, , id] of folder.entries) if (id.startsWith(start)) yield joinPath(key.slice(prefix.length), name);
}

function findFrame(rows: Rows, workspace: string, name: string): FrameID {
  const prefix = treeKeys.frames(workspace);
  const isId = /^[0-9a-f]{4,64}$/.test(name);
  const found = isId ? [...rows.each(`${prefix}${name}`, { limit: 2 })].map(([key]) => key.slice(prefix.length)) : [];
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  throw new OkaError(
    'usage',
    first === undefined ? `there is no frame "${name}" in ${workspace}` : `more than one frame begins with "${name}"`,
    { fix: first === undefined ? 'See oka context list-frames.' : 'Write more of its id.' },
  );
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
