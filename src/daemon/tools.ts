/** Owns: the tools that act on a desk, and the names of all there are. */
import { join } from 'node:path';
import type { ArtifactStore } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import { filesTools } from '../tools/builtin/files.ts';
import { httpTools } from '../tools/builtin/http.ts';
import { humanTool } from '../tools/builtin/human.ts';
import { runTool } from '../tools/builtin/run.ts';
import { type ShellOptions, shellTool } from '../tools/builtin/shell.ts';
import type { EgressRoutes } from './network/egress-routes.ts';
import { commandEnvironment } from './settings.ts';
import type { Home } from '../schema/home.ts';

export type StartRun = Parameters<typeof runTool>[0];

/** The desk may be a scratch copy. */
export function builtInTools(
  desk: string,
  home: Home,
  artifacts: ArtifactStore,
  startRun: StartRun,
  shell: Partial<ShellOptions> = {},
  sendOn: (host: string) => boolean = () => false,
  net: EgressRoutes['tools'] = {},
): Tool[] {
  return [
    shellTool({ desk, env: commandEnvironment(home), artifacts, ...shell }),
    ...filesTools({ desk, artifacts }),
    // The host that a call names is judged with the call; one that a server names is judged here.
    ...httpTools({ ...net, artifacts, allowHost: (host, { hop }) => hop === 'asked' || sendOn(host) }),
    humanTool(),
    runTool(startRun),
  ];
}

/** What the engine has besides (wire.ts). */
const FURTHER_TOOLS = ['deps.install', 'model.complete', 'memory.search', 'memory.note', 'task.plan', 'task.critique'];

/** Every tool that a graph, a rule or a secret may name. */
export function toolNames(home: Home): string[] {
  const nowhere: ArtifactStore = {
    put: () => Promise.reject(new Error('not here')),
    get: () => Promise.reject(new Error('not here')),
  };
  const noRuns = (): Promise<string> => Promise.reject(new Error('not here'));
  const builtIn = builtInTools(join(home.workspace, 'desk'), home, nowhere, noRuns).map((tool) => tool.name);
  return [...builtIn, ...FURTHER_TOOLS];
}
