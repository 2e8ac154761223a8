/** A home with a context tree, in this process and with the pen. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findAgents, agentNamed } from '../../src/kit/agents/home-agents.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import { openStores, type Stores } from '../../src/kit/house/stores.ts';
import { type OpenTree, openContextTree } from '../../src/rooms/context/tree/open-tree.ts';
import type { NewFrame } from '../../src/core/schema/frame.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { TreeConfig } from '../../src/core/schema/tree.ts';
import { temporaryFolder } from './cli.ts';

export type TreeHome = AsyncDisposable & {
  home: Home;
  tree: OpenTree;
  stores: Stores;
  /** Writes files below workspace/; null removes one. */
  write: (files: Readonly<Record<string, string | null>>) => void;
  /** Adds a frame that somebody wrote about the node as it is now, and returns its id. */
  put: (path: string, content: string, more?: Partial<NewFrame>) => Promise<string>;
  scan: () => ReturnType<OpenTree['scan']>;
  /** Closes everything and opens it again, as another process would. */
  reopen: () => Promise<void>;
};

export async function openTreeHome(config: Partial<TreeConfig> = {}): Promise<TreeHome> {
  const folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  rmSync(home.workspace, { recursive: true });
  mkdirSync(home.workspace);
  let opened = await open(home, config);
  return {
    home,
    get tree() {
      return opened.tree;
    },
    get stores() {
      return opened.stores;
    },
    write: (files) => writeFiles(home.workspace, files),
    put: async (path, content, more = {}) => (await putOne(opened.tree, path, content, more)) ?? '',
    scan: () => opened.tree.scan('workspace'),
    reopen: async () => {
      await close(opened);
      opened = await open(home, config);
    },
    [Symbol.asyncDispose]: async () => {
      await close(opened);
      folder[Symbol.dispose]();
    },
  };
}

type Opened = { stores: Stores; tree: OpenTree };

async function open(home: Home, config: Partial<TreeConfig>): Promise<Opened> {
  const stores = await openStores(home, await loadConfig(home));
  const agents = { get: (name: string) => agentNamed(findAgents(home), name), list: () => findAgents(home).agents };
  const { ledger, artifacts, vault } = stores;
  const settings = TreeConfig.parse(config);
  return { stores, tree: openContextTree({ home, config: settings, ledger, artifacts, agents, redact: vault.redact }) };
}

async function close({ stores, tree }: Opened): Promise<void> {
  await tree.close();
  await stores.close();
}

export function writeFiles(root: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    if (content === null) rmSync(file, { recursive: true });
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }
}

async function putOne(
  tree: OpenTree,
  path: string,
  content: string,
  more: Partial<NewFrame>,
): Promise<string | undefined> {
  const node = await tree.read('workspace', (reader) => reader.node(path)?.id ?? '0'.repeat(64));
  const frame: NewFrame = { path, node, type: 'note', content, origin: 'person', basis: { node }, ...more };
  return (await tree.put('workspace', [frame]))[0]?.id;
}
