/**
 * Owns: noticing changed files while a worker runs (`tree.watch` in config.json).
 *
 * 1. Files are compared by their stat, never more often than every few seconds and for at most a twentieth of the time.
 * 2. `mark` records the changes, by which frames become stale; `regenerate` also makes again what exists, as a run with a
 *    budget. Neither makes new frames.
 * 3. Graphs in `on_change` run after a change, one run for each, also when somebody else's scan found it, or the worker
 *    was killed before it could start them; a scan without changes starts nothing.
 */
import { messageOf } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { TreeConfig } from '../../../core/schema/tree.ts';
import type { ContextTree } from '../tree-port.ts';
import type { ScannedRoot } from '../model/tree-store.ts';

type WatchPorts = {
  tree: Pick<ContextTree, 'workspaces' | 'scan' | 'read'>;
  settings: Pick<TreeConfig, 'watch' | 'watch_seconds' | 'max_tokens' | 'on_change'>;
  clock: () => number;
  /** Starts a regeneration. */
  regenerate: (request: Omit<Extract<Intake, { kind: 'run_context' }>, 'kind'>) => Promise<unknown>;
  /** Runs a graph of workspace/graphs. */
  runGraph: (graph: string, run: string, input: Json) => Promise<unknown>;
  report: (problem: string) => void;
  /** By workspace, the last scan that was reacted to: kept when the worker ends. */
  handled: { read: () => Handled; write: (handled: Handled) => void };
};

type Handled = Readonly<Record<string, number>>;

type Change = {
  workspace: string;
  root: string;
  added: number;
  changed: number;
  removed: number;
  stale: string[];
};

/** `seq`: of the scan that found it. */
type Found = { seq: number; change: Change };

export type Watcher = {
  /** Compares the files when it is time to. */
  poll: (state: { isStopped: boolean }) => Promise<void>;
  /** Calls the listener after every change; returns how to stop that. */
  onChange: (listener: (change: Change) => void) => () => void;
  close: () => Promise<void>;
};

const SHARE = 20;
const MOST_STALE = 500;

export function watchWorkspaces(ports: WatchPorts): Watcher {
  const listeners = new Set<(change: Change) => void>();
  let [next, scanning]: [number, Promise<void> | null] = [0, null];
  const stopping = new AbortController();
  const scanAll = async (): Promise<void> => {
    const began = ports.clock();
    for (const { name } of ports.tree.workspaces) {
      try {
        const found = await findChange(ports, name, stopping.signal);
        if (found === null) continue;
        await react(ports, found, listeners);
        setHandled(ports, name, found.seq);
      } catch (error) {
        if (!stopping.signal.aborted) ports.report(`${name} cannot be watched: ${messageOf(error)}`);
      }
    }
    const took = ports.clock() - began;
    next = ports.clock() + Math.max(ports.settings.watch_seconds * 1000, took * SHARE);
  };
  return {
    poll: async ({ isStopped }) => {
      if (isStopped || ports.settings.watch === 'off' || scanning !== null || ports.clock() < next) return;
      scanning = scanAll().finally(() => (scanning = null));
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      stopping.abort();
      await scanning;
    },
  };
}

/** Null when nothing has changed since the scan that was handled last, or when nobody has scanned this workspace yet. */
async function findChange(ports: WatchPorts, workspace: string, signal: AbortSignal): Promise<Found | null> {
  const { tree, handled } = ports;
  const roots = (): Promise<ScannedRoot[]> => tree.read(workspace, (reader) => reader.roots());
  const before = (await roots()).at(-1);
  if (before === undefined) return null;
  const since = handled.read()[workspace] ?? before.seq;
  const { root, added, changed, removed } = await tree.scan(workspace, { signal });
  const scans = await roots();
  const { seq } = scans.at(-1) ?? before;
  if (scans.findLast((scan) => scan.seq <= since)?.root === root) {
    if (handled.read()[workspace] !== seq) setHandled(ports, workspace, seq);
    return null;
  }
  const stale = await tree.read(workspace, (reader) => reader.stale().map(({ path }) => path));
  return { seq, change: { workspace, root, added, changed, removed, stale: [...new Set(stale)].slice(0, MOST_STALE) } };
}

function setHandled({ handled }: WatchPorts, workspace: string, seq: number): void {
  handled.write({ ...handled.read(), [workspace]: seq });
}

async function react(
  ports: WatchPorts,
  { seq, change }: Found,
  listeners: ReadonlySet<(change: Change) => void>,
): Promise<void> {
  const { settings } = ports;
  for (const listener of listeners) listener(change);
  const id = `${change.root.slice(0, 8)}-${seq}`; // the same when it has to be reacted to again
  if (settings.watch === 'regenerate' && change.stale.length > 0) {
    const input = { workspace: change.workspace, recursive: true };
    await ports.regenerate({ id: `context-${id}`, tool: 'context.regenerate', input, max_tokens: settings.max_tokens });
  }
  for (const graph of settings.on_change) {
    try {
      await ports.runGraph(graph, `${graph.slice(0, 40)}-${id}`, { ...change });
    } catch (error) {
      ports.report(`the graph ${graph} of on_change cannot run: ${messageOf(error)}`);
    }
  }
}
