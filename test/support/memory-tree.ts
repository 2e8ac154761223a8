/** A context tree in memory over a real folder: the real scan, the real fold and the real rules for frames, without a ledger. */
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepareFrames } from '../../src/rooms/context/tree/put-frames.ts';
import { treeEvents } from '../../src/rooms/context/tree/tree-events.ts';
import { readFrameText } from '../../src/rooms/context/tree/frame-text.ts';
import { memoryRows } from '../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import type { ArtifactStore } from '../../src/core/schema/ports.ts';
import { scanWorkspace } from '../../src/rooms/context/scan/scan-workspace.ts';
import { treeFold } from '../../src/rooms/context/model/tree-fold.ts';
import type { ContextTree } from '../../src/rooms/context/tree-port.ts';
import { type FolderRow, treeKeys } from '../../src/rooms/context/model/tree-rows.ts';
import { readTree } from '../../src/rooms/context/model/tree-store.ts';
import { openSynthesis, type Synthesis } from '../../src/rooms/context/synthesis/open-synthesis.ts';
import type { Agent } from '../../src/core/schema/agent-file.ts';

export type MemoryTree = {
  folder: string;
  tree: ContextTree;
  synthesis: Synthesis;
  events: Event[];
  artifacts: ArtifactStore;
  write: (files: Readonly<Record<string, string | null>>) => void;
  close: () => void;
};

const WORKSPACE = 'workspace';

const agent = (name: string, capabilities: Agent['capabilities']): Agent => ({
  name,
  capabilities,
  role: capabilities.includes('frames') ? 'writer' : 'reader',
  description: '',
  budget: {},
  frames: [],
  persona: '',
  file: null,
  sha256: '0'.repeat(64),
});

export const TEST_AGENTS = [
  agent('oka', ['read', 'write', 'external', 'frames', 'synthesize']),
  agent('ana', ['read', 'frames', 'synthesize']),
  agent('rita', ['read']),
];

export function memoryTree(
  files: Readonly<Record<string, string>> = {},
  redact: (text: string) => string = (text) => text,
): MemoryTree {
  const folder = mkdtempSync(join(tmpdir(), 'oka-tree-'));
  const root = join(folder, 'files');
  mkdirSync(root);
  const write = (changed: Readonly<Record<string, string | null>>): void => {
    for (const [path, text] of Object.entries(changed)) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file, { recursive: true });
      else writeFileSync(file, text);
    }
  };
  write(files);
  const rows = memoryRows();
  const events: Event[] = [];
  const bodies = new Map<string, Buffer>();
  const artifacts: ArtifactStore = {
    put: async (body, { media = 'text/plain' } = {}) => {
      const bytes = Buffer.from(body);
      const sha256 = hash('sha256', bytes);
      bodies.set(sha256, bytes);
      return { sha256, bytes: bytes.length, media };
    },
    get: async ({ sha256 }) => bodies.get(sha256) ?? Buffer.alloc(0),
  };
  const append = (all: readonly NewEvent[]): void => {
    for (const event of all) {
      const at = new Date(Date.UTC(2026, 0, 1) + events.length * 1000).toISOString();
      const recorded = { ...event, seq: events.length + 1, at, run: null, cause: null } as unknown as Event;
      events.push(recorded);
      treeFold.take(
        { event: recorded, ledger: 'run', text: (sha256: string) => bodies.get(sha256)?.toString() ?? null } as never,
        rows,
      );
    }
  };
  const agents = {
    list: () => TEST_AGENTS,
    get: (name: string) => {
      const found = TEST_AGENTS.find((one) => one.name === name);
      if (found === undefined) throw new Error(`there is no agent "${name}"`);
      return found;
    },
  };
  const tree: ContextTree = {
    workspaces: [{ name: WORKSPACE, folder: root }],
    read: async (workspace, query) => query(readTree(rows, workspace)),
    text: (frame) => readFrameText(artifacts, frame.body),
    put: async (workspace, frames) => {
      const ports = { agents, artifacts, redact, types: [] };
      const { events: added, results } = await prepareFrames(readTree(rows, workspace), frames, ports);
      append(added);
      return results;
    },
    invalidate: async (workspace, path, frames, reason) =>
      append([treeEvents.invalidated({ workspace, path, frames: [...frames], reason })]),
    scan: async (workspace) => {
      const scanned = await scanWorkspace({
        root,
        cacheFile: join(folder, 'stats'),
        compare: async (work) => work((path) => rows.get<FolderRow>(treeKeys.folder(workspace, path))),
        force: true,
        maxFileBytes: 64 * 1024 * 1024,
        redact,
      });
      const { root: id, base, totals } = scanned.changes;
      if (id !== base) {
        const changes = await artifacts.put(JSON.stringify(scanned.changes));
        append([treeEvents.scanned({ workspace, root: id, base, ...totals, changes })]);
      }
      const { added, changed, removed, read } = scanned;
      return { root: id, base, ...totals, added, changed, removed, read };
    },
  };
  const synthesis = openSynthesis({ tree, artifacts, agents, types: [], redact, contextOf: () => null });
  return { folder: root, tree, synthesis, events, artifacts, write, close: () => rmSync(folder, { recursive: true }) };
}
