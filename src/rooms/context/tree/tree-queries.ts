/** What people ask about a context tree: the command line and the dashboard show the same. */
import { statSync } from 'node:fs';
import type { Frame, FrameRecord } from '../../../core/schema/frame.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { NodeRecord } from '../../../core/schema/tree.ts';
import type { ViewPorts } from '../model/compose-view.ts';
import type { StaleHead, TreeReader } from '../model/tree-store.ts';
import { weighTexts } from '../synthesis/rank-frames.ts';
import { readFrameText } from './frame-text.ts';
import { statCacheFile } from './tree-files.ts';
import { readableArtifacts } from './tree-index.ts';

type TreeStatus = {
  root: string | null;
  files: number;
  folders: number;
  frames: number;
  stale: number;
  scanned_at: string | null;
};

/** All zero before the first scan. */
export function treeStatus(home: Home, tree: TreeReader): TreeStatus {
  const summary = tree.summary();
  return {
    root: summary?.root ?? null,
    files: summary?.files ?? 0,
    folders: summary?.folders ?? 0,
    frames: tree.totalFrames(),
    stale: tree.stale().length,
    scanned_at: summary === null ? null : lastScan(home, tree.workspace, summary.scanned_at),
  };
}

/** A scan that found nothing new is no event; the time of its cache says when it was. */
function lastScan(home: Home, workspace: string, recorded: string): string {
  const stats = statSync(statCacheFile(home, workspace), { throwIfNoEntry: false });
  const cached = stats === undefined ? recorded : stats.mtime.toISOString();
  return cached > recorded ? cached : recorded;
}

export type ShownChild = NodeRecord & { heads: Pick<FrameRecord, 'id' | 'type' | 'stale'>[]; stale_below: number };
type ShownNode = { node: NodeRecord; children: ShownChild[]; heads: Frame[]; frame_count: number };

/** A node with what is in it, and the texts of its heads. */
export async function showNode(tree: TreeReader, path: string, ports: ViewPorts): Promise<ShownNode> {
  const stale = tree.stale(path);
  const heads: Frame[] = [];
  for (const head of tree.heads(path)) {
    const content = await ports.text(head);
    if (content !== null) heads.push({ ...head, path, content });
  }
  return {
    node: tree.node(path) as NodeRecord,
    children: tree.children(path).map((child) => showChild(tree, child, stale)),
    heads,
    frame_count: tree.frameCount(path),
  };
}

function showChild(tree: TreeReader, child: NodeRecord, stale: readonly StaleHead[]): ShownChild {
  const heads = tree.heads(child.path).map(({ id, type, stale: reason }) => ({
    id,
    type,
    ...(reason === undefined ? {} : { stale: reason }),
  }));
  const below = stale.filter(({ path }) => path.startsWith(`${child.path}/`)).length;
  return { ...child, heads, stale_below: below };
}

/** Texts from the artifacts of a home, and relevance by the ranking of its memory. */
export function viewPorts(home: Home): ViewPorts {
  const artifacts = readableArtifacts(home);
  return { text: (frame) => readFrameText(artifacts, frame.body), relevance: weighTexts };
}
