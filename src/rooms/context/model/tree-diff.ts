/** Owns: which nodes and frames changed between two scans, out of what the scans recorded. */
import { OkaError } from '../../../core/schema/errors.ts';
import type { FrameRecord } from '../../../core/schema/frame.ts';
import { TreeChanges, type TreeKind } from '../../../core/schema/tree.ts';
import { compareText, type ScannedRoot, type TreeReader } from './tree-store.ts';
import { joinPath } from './tree-rows.ts';

type NodeChange = {
  path: string;
  kind: TreeKind;
  change: 'added' | 'changed' | 'removed';
  was: string | null;
  now: string | null;
};
type FrameChange = Pick<FrameRecord, 'id' | 'type' | 'agent' | 'at'> & { path: string };
type TreeDiff = { from: ScannedRoot | null; to: ScannedRoot; nodes: NodeChange[]; frames: FrameChange[] };

/**
 * `from` and `to` are times, or the beginnings of root hashes; `to` is the last scan when left out.
 * `text` returns the artifact of a scan; a scan whose artifact is lost is skipped.
 */
export async function diffScans(
  tree: TreeReader,
  from: string,
  to: string | undefined,
  text: (sha256: string) => Promise<string | null>,
): Promise<TreeDiff> {
  const roots = tree.roots();
  const start = findScan(roots, from);
  const end = to === undefined ? roots.at(-1) : findScan(roots, to);
  if (end === undefined || end === null)
    throw new OkaError('usage', `nothing was scanned before ${to ?? 'now'}`, { fix: 'oka context scan' });
  const between = roots.filter(({ seq }) => seq > (start?.seq ?? 0) && seq <= end.seq);
  const until = to === undefined ? '9' : end.at;
  return {
    from: start,
    to: end,
    nodes: await changedNodes(between, text),
    frames: [...addedFrames(tree, start?.at ?? '', until)].toSorted((a, b) => compareText(a.path, b.path)),
  };
}

/** The last scan with this root, or the last one at this time; null when the time is before the first one. */
function findScan(roots: readonly ScannedRoot[], name: string): ScannedRoot | null {
  if (/^[0-9a-f]{4,64}$/.test(name)) {
    const found = roots.findLast(({ root }) => root.startsWith(name));
    if (found !== undefined) return found;
  }
  const time = Date.parse(name);
  if (Number.isNaN(time))
    throw new OkaError('usage', `"${name}" is neither the root of a scan nor a time`, {
      fix: 'A time looks like 2026-01-31 or 2026-01-31T12:00:00Z; roots are in oka context status.',
    });
  return roots.findLast(({ at }) => Date.parse(at) <= time) ?? null;
}

/** What several scans changed in the end: a file that came and went is not listed. */
async function changedNodes(
  scans: readonly ScannedRoot[],
  text: (sha256: string) => Promise<string | null>,
): Promise<NodeChange[]> {
  const net = new Map<string, { kind: TreeKind; was: string | null; now: string | null }>();
  const note = (path: string, kind: TreeKind, was: string | null, now: string | null): void => {
    const known = net.get(path);
    net.set(path, { kind, was: known === undefined ? was : known.was, now });
  };
  for (const { changes } of scans) {
    const stored = await text(changes);
    if (stored === null) continue;
    for (const { path, put, drop } of TreeChanges.parse(JSON.parse(stored)).folders) {
      for (const [name, kind, id, , was] of put) note(joinPath(path, name), kind, was, id);
      for (const [name, kind, id] of drop) note(joinPath(path, name), kind, id, null);
    }
  }
  return [...net]
    .filter(([, { was, now }]) => was !== now)
    .map(([path, { kind, was, now }]) => ({ path, kind, change: changeOf(was, now), was, now }))
    .toSorted((a, b) => compareText(a.path, b.path));
}

const changeOf = (was: string | null, now: string | null): NodeChange['change'] =>
  was === null ? 'added' : now === null ? 'removed' : 'changed';

function* addedFrames(tree: TreeReader, after: string, until: string): Generator<FrameChange> {
  for (const [path] of tree.places())
    for (const { id, type, agent, at } of tree.frames(path))
      if (at > after && at <= until) yield { path, id, type, agent, at };
}
