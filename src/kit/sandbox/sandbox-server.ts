/** Owns: the sandbox of an MCP server: it gets what its entry states, a folder for temporary files, and nothing of the desk. */
import { mkdirSync } from 'node:fs';
import { missingSupport, type Rights, rightsOf } from '../../core/guard/command-rights.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { Home } from '../../core/schema/home.ts';
import type { EgressAccess } from '../egress/egress-access.ts';
import type { Grant } from '../egress/open-egress.ts';
import { certificateFiles } from '../settings.ts';
import type { ServerLaunch } from './command-sandbox.ts';
import { markOf } from './desk-lock.ts';
import { launcherPath } from './find-launcher.ts';
import type { KernelSupport } from './probe-kernel.ts';
import { reachablePath } from './sandbox-environment.ts';
import { createScratch, placesOf, removeScratch } from './sandbox-places.ts';

export type ServerRequest = {
  folders: readonly OpenFolder[];
  /** Hosts, with or without a port, that a person named for it. */
  hosts: readonly string[];
  /** A folder of its own, by which processes are recognised whose launcher was killed. */
  state: string;
};

export type ServerSandbox =
  | {
      kind: 'ready';
      env: Readonly<Record<string, string>>;
      scratch: string;
      launch: ServerLaunch;
      [Symbol.asyncDispose](): Promise<void>;
    }
  | { kind: 'refused'; reason: string };

/** Longer than any server runs without being idle. */
const SERVER_MS = 7 * 86_400_000;

export async function sandboxServer(
  ports: { home: Home; sandbox: 'jail' | 'none'; egress: EgressAccess },
  support: KernelSupport,
  { folders, hosts, state }: ServerRequest,
): Promise<ServerSandbox> {
  const { home, sandbox } = ports;
  if (!support.launcher || (sandbox === 'jail' && support.landlock === 0))
    return { kind: 'refused', reason: `${missingSupport(support)}, so a server cannot be sandboxed` };
  const owner = { run: null, call: null, hosts: [], servers: hosts };
  const grant = hosts.length === 0 ? null : await ports.egress.grant(owner, SERVER_MS);
  const scratch = createScratch(home);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  return {
    kind: 'ready',
    env: { PATH: reachablePath(home), HOME: scratch, TMPDIR: scratch, LANG: 'C.UTF-8', ...grant?.env },
    scratch,
    launch: {
      launcher: launcherPath(),
      rights: sandbox === 'none' ? null : serverRights(home, scratch, support, folders, grant),
      mark: markOf(state),
    },
    [Symbol.asyncDispose]: async () => {
      grant?.[Symbol.dispose]();
      await removeScratch(scratch);
    },
  };
}

/** The rights of a read without the desk, and the folders that the entry of the server names. */
function serverRights(
  home: Home,
  scratch: string,
  support: KernelSupport,
  folders: readonly OpenFolder[],
  grant: Grant | null,
): Rights {
  const places = placesOf(home, scratch);
  const step = { class: 'read', author: 'model', net: grant?.address ?? null, installer: false } as const;
  const rights = rightsOf(step, places, support);
  const paths = (access: OpenFolder['access']): string[] =>
    folders.filter((folder) => folder.access === access).map(({ path }) => `=${path}`);
  return {
    ...rights,
    read: [...rights.read.filter((path) => path !== places.desk), ...paths('read'), ...certificateFiles()],
    run: [...rights.run, places.tools],
    write: [...rights.write, ...paths('write')],
  };
}
