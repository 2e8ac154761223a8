/** Owns: the context trees of a home in the process with the pen: everything that is recorded of them goes through here. */
import { OkaError } from '../../../core/schema/errors.ts';
import type { NewEvent } from '../../../core/schema/event.ts';
import { FrameDraft } from '../../../core/schema/frame.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { ArtifactStore, Redact } from '../../../core/schema/ports.ts';
import type { ArtifactRef } from '../../../core/schema/tool.ts';
import type { TreeChanges, TreeConfig } from '../../../core/schema/tree.ts';
import { oldHistory } from '../model/compact-history.ts';
import { scanWorkspace } from '../scan/scan-workspace.ts';
import type { ContextTree, ScanOptions, ScanResult } from '../tree-port.ts';
import { type FolderRow, treeKeys } from '../model/tree-rows.ts';
import { readTree, type TreeReader } from '../model/tree-store.ts';
import type { AgentsPort } from '../../../kit/ports/agents-port.ts';
import type { LedgerPort } from '../../../kit/ports/port-types.ts';
import { isKnownRoot, parseChanges, SCANNED_MEANWHILE } from './check-changes.ts';
import { readFrameText } from './frame-text.ts';
import { prepareFrames } from './put-frames.ts';
import { treeEvents } from './tree-events.ts';
import { statCacheFile } from './tree-files.ts';
import { idPathsIn, openTreeIndex } from './tree-index.ts';
import { findWorkspace, listWorkspaces } from './workspaces.ts';

type TreePorts = {
  home: Home;
  config: TreeConfig;
  ledger: Pick<LedgerPort, 'append' | 'end'>;
  artifacts: ArtifactStore;
  agents: Pick<AgentsPort, 'get' | 'list'>;
  redact: Redact;
};

export type OpenTree = ContextTree & {
  /** Records what a scan of another process found. */
  recordScan: (workspace: string, changes: string) => Promise<void>;
  restore: (workspace: string, from: string, to: string) => Promise<void>;
  compact: (workspace: string, before: string) => Promise<{ nodes: number; frames: number }>;
  /** Adds frames that another process has stored as an artifact. */
  putStored: (workspace: string, frames: string) => ReturnType<ContextTree['put']>;
  /** Starts to fold what was recorded, so that other processes find it in the file and need not fold it each time. */
  poll: () => Promise<void>;
  close: () => Promise<void>;
};

export function openContextTree(ports: TreePorts): OpenTree {
  const { home, config, ledger, artifacts, agents, redact } = ports;
  const workspaces = listWorkspaces(home, config);
  const index = openTreeIndex(home, artifacts, ledger);
  const read: ContextTree['read'] = (workspace, query) => {
    findWorkspace(workspaces, workspace);
    return index.read((rows) => query(readTree(rows, workspace, idPathsIn(home, workspace))));
  };
  let hasRecorded = false;
  /** Decides and records in one turn, so that nothing comes between what was read and what is written. */
  const record = async (events: readonly NewEvent[]): Promise<void> => {
    if (events.length === 0) return;
    await ledger.append([...events]);
    hasRecorded = true;
  };
  const recordChanges = (tree: TreeReader, changes: TreeChanges, ref: ArtifactRef): Promise<void> =>
    record(isKnownRoot(changes, tree) ? [] : [scannedEvent(tree.workspace, changes, ref)]);
  const recordScan = (workspace: string, sha256: string): Promise<void> =>
    read(workspace, async (tree) => {
      const bytes = await artifacts.get({ sha256 });
      const changes = parseChanges(bytes.toString());
      await recordChanges(tree, changes, { sha256, bytes: bytes.length, media: 'application/json' });
    });
  const put: ContextTree['put'] = (workspace, frames) =>
    read(workspace, async (tree) => {
      const types = config.frame_types;
      const { events, results } = await prepareFrames(tree, frames, { agents, artifacts, redact, types });
      await record(events);
      return results;
    });
  return {
    workspaces,
    read,
    put,
    recordScan,
    text: (frame) => readFrameText(artifacts, frame.body),
    invalidate: (workspace, path, frames, reason) =>
      read(workspace, () => record([treeEvents.invalidated({ workspace, path, frames: [...frames], reason })])),
    scan: (workspace, options) =>
      scanUntilRecorded(async () => {
        const { result, changes } = await scanNow(ports, workspace, options, index.read);
        if (changes !== null) await read(workspace, (reader) => recordChanges(reader, changes.found, changes.ref));
        return result;
      }),
    putStored: async (workspace, frames) => {
      const stored: unknown = JSON.parse((await artifacts.get({ sha256: frames })).toString());
      return put(workspace, FrameDraft.array().max(100_000).parse(stored));
    },
    restore: (workspace, from, to) =>
      read(workspace, async (tree) => {
        const [place] = [...tree.places(from)].find(([path]) => path === from) ?? [];
        if (place === undefined)
          throw new OkaError('usage', `no frames were ever added to "${from}" in ${workspace}`, {
            fix: 'See oka context status for what has left the tree.',
          });
        if (tree.node(from) !== null)
          throw new OkaError('refused', `${from} is still in the tree`, { fix: 'Its frames are there, too.' });
        if (tree.node(to) === null)
          throw new OkaError('usage', `${to} is not in the tree`, { fix: 'oka context scan' });
        await record([treeEvents.restored({ workspace, from, to })]);
      }),
    compact: (workspace, before) =>
      index.read(async (rows) => {
        findWorkspace(workspaces, workspace);
        const { nodes, attached } = oldHistory(rows, workspace, before);
        const counts = { nodes: nodes.length, frames: attached.length };
        if (attached.length > 0) await record([treeEvents.compacted({ workspace, before, ...counts })]);
        return counts;
      }),
    poll: async () => {
      index.follow(hasRecorded ? 1 : MOST_BEHIND);
      hasRecorded = false;
    },
    close: index.close,
  };
}

/** Events that are not about a tree are folded when there are so many: others read past them quickly until then. */
const MOST_BEHIND = 1000;
const MOST_ATTEMPTS = 3;

/** Another scan may be recorded while this one walks; then it is compared with that one. */
export async function scanUntilRecorded<T>(scan: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await scan();
    } catch (error) {
      const isBehind = error instanceof OkaError && error.message === SCANNED_MEANWHILE;
      if (!isBehind || attempt >= MOST_ATTEMPTS) throw error;
    }
  }
}

const scannedEvent = (workspace: string, { root, base, totals }: TreeChanges, changes: ArtifactRef): NewEvent =>
  treeEvents.scanned({ workspace, root, base, ...totals, changes });

/** Scans in this process; `changes` is the difference and its artifact, null when there is none. */
export async function scanNow(
  { home, config, artifacts, redact }: Pick<TreePorts, 'home' | 'config' | 'artifacts' | 'redact'>,
  workspace: string,
  options: ScanOptions = {},
  read: ReturnType<typeof openTreeIndex>['read'],
): Promise<{ result: ScanResult; changes: { found: TreeChanges; ref: ArtifactRef } | null }> {
  const { folder } = findWorkspace(listWorkspaces(home, config), workspace);
  const { force = false, signal, onProgress } = options;
  // The rows are read when the walk is over; what is recorded meanwhile is refused by its base, and scanned again.
  const scanned = await scanWorkspace({
    root: folder,
    cacheFile: statCacheFile(home, workspace),
    compare: (work) => read((rows) => work((path) => rows.get<FolderRow>(treeKeys.folder(workspace, path)))),
    force,
    maxFileBytes: config.max_file_mb * 1024 * 1024,
    redact,
    signal,
    onProgress,
  });
  const { root, base, totals } = scanned.changes;
  const { added, changed, removed, read: files } = scanned;
  const result = { root, base, ...totals, added, changed, removed, read: files };
  if (root === base) return { result, changes: null };
  const ref = await artifacts.put(JSON.stringify(scanned.changes), { media: 'application/json' });
  return { result, changes: { found: scanned.changes, ref } };
}
