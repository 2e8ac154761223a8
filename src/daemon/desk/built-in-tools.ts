/** Owns: the tools that act on a desk. */
import { OkaError } from '../../schema/errors.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { DetachedPlace } from '../../schema/room.ts';
import type { Tool } from '../../schema/tool.ts';
import { filesTools } from '../../tools/builtin/files.ts';
import type { FilesOptions } from '../../tools/builtin/files-options.ts';
import { httpTools } from '../../tools/builtin/http.ts';
import { humanTool } from '../../tools/builtin/human.ts';
import { runTool } from '../../tools/builtin/run-tool.ts';
import { skillRunTool } from '../../tools/builtin/skill-run.ts';
import type { UseSkill } from '../../tools/builtin/skill-texts.ts';
import { type ShellOptions, shellTool } from '../../tools/builtin/shell.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import { readConfined } from '../../kit/sandbox/read-confined.ts';
import { commandEnvironment } from '../../kit/settings.ts';
import type { Home } from '../../schema/home.ts';
import { refuseUse } from '../../kit/unused-ports.ts';

export type StartRun = Parameters<typeof runTool>[0];

export type BuiltInOptions = {
  /** May be a scratch copy. */
  desk: string;
  home: Home;
  artifacts: ArtifactStore;
  startRun: StartRun;
  /** Folders outside the desk that are open to a call. */
  folders?: FilesOptions['folders'];
  shell?: Partial<ShellOptions>;
  /** Gives the accepted content of a skill; without it there is no tool for scripts of skills. */
  useSkill?: UseSkill;
  sendOn?: (host: string) => boolean;
  net?: EgressRoutes['tools'];
};

export function builtInTools(options: BuiltInOptions): Tool[] {
  const { desk, home, artifacts, startRun, folders, shell = {}, useSkill, sendOn = () => false, net = {} } = options;
  return [
    shellTool({ desk, env: commandEnvironment(home), artifacts, ...shell }),
    ...filesTools({ desk, artifacts, readDocument: readConfined, ...(folders === undefined ? {} : { folders }) }),
    // The host that a call names is judged with the call; one that a server names is judged here.
    ...httpTools({ ...net, artifacts, allowHost: (host, { hop }) => hop === 'asked' || sendOn(host) }),
    ...(useSkill === undefined
      ? []
      : [skillRunTool({ desk, env: commandEnvironment(home), artifacts, ...shell, use: useSkill })]),
    humanTool(),
    runTool(startRun),
  ];
}

/** For a simulation or a replay, which start no run and no script of a skill. */
export function detachedBuiltInTools({ desk, home, artifacts, purpose }: DetachedPlace): Tool[] {
  const startRun = (): Promise<string> => Promise.reject(new OkaError('refused', 'no run is started while replaying'));
  const skills = purpose === 'simulation' ? { useSkill: refuseUse } : {};
  return builtInTools({ desk, home, artifacts, startRun, ...skills });
}
