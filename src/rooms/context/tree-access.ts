/** What the commands about the context tree have in common. */
import { join } from 'node:path';
import { openAgents } from '../../kit/agents/open-agents.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import { withStores } from '../../kit/house/await-pen.ts';
import { openContextTree, scanNow, scanUntilRecorded } from './tree/open-tree.ts';
import { handleTreeRequest, type TreeIntake } from './tree/tree-requests.ts';
import { withTreeRows } from './tree/tree-index.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ArtifactStore, Redact } from '../../core/schema/ports.ts';
import { DEFAULT_WORKSPACE, TreeConfig } from '../../core/schema/tree.ts';
import type { ScanOptions, ScanResult } from './tree-port.ts';
import type { TreeReader } from './model/tree-store.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { carryOut } from '../../kit/cli/carry-out.ts';

export type TreeOptions = { workspace: string | undefined };
type TreeCall = Pick<Call, 'home' | 'signal' | 'rooms' | 'notify'>;

export const workspaceOf = ({ workspace }: TreeOptions): string => workspace ?? DEFAULT_WORKSPACE;

/** Through the worker if one is running, else recorded here and now. */
export const changeTree = (call: TreeCall, intake: TreeIntake): Promise<Json> =>
  carryOut(call, intake, () => change(call, intake));

async function change(call: TreeCall, intake: TreeIntake): Promise<Json> {
  const { home } = call;
  const config = await loadRoomsConfig(home, call.rooms);
  const settings = TreeConfig.parse(config['tree']);
  const agents = openAgents(home, Date.now);
  return withStores(home, config, call, async ({ ledger, artifacts, vault }) => {
    const tree = openContextTree({ home, config: settings, ledger, artifacts, agents, redact: vault.redact });
    try {
      const done = await handleTreeRequest(tree, intake);
      await tree.read(intake.workspace, () => null); // what was recorded is in the index for the next command
      return done;
    } finally {
      await tree.close();
    }
  });
}

/** Where this process stores what it hands to the worker. */
export async function openOutgoing({
  home,
}: Pick<Call, 'home'>): Promise<{ artifacts: ArtifactStore; redact: Redact }> {
  const vault = await openHomeVault(home);
  await vault.refresh();
  return { artifacts: openArtifacts(join(home.oka, 'artifacts'), vault.redact), redact: vault.redact };
}

/** Scans in this process, and has the difference recorded. Files may change, and others may scan, meanwhile. */
export async function scanTree(call: TreeCall, workspace: string, options: ScanOptions): Promise<ScanResult> {
  const { home } = call;
  const config = TreeConfig.parse((await loadRoomsConfig(home, call.rooms))['tree']);
  const ports = { home, config, ...(await openOutgoing(call)) };
  return scanUntilRecorded(async () => {
    const { result, changes } = await scanNow(ports, workspace, options, (query) => withTreeRows(home, query));
    if (changes !== null) await changeTree(call, { kind: 'record_scan', workspace, changes: changes.ref.sha256 });
    return result;
  });
}

/** A node that is there, or a path that has left the tree and still has frames. */
export function findHistory(tree: TreeReader, name: string): string {
  const path = name.replace(/\/+$/, '');
  return tree.node(path) === null && tree.frameCount(path) > 0 ? path : tree.find(name);
}
