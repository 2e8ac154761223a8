/** Owns: the tools that act on a desk. */
import { join } from 'node:path';
import { OkaError } from '../../core/schema/errors.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { DetachedPlace } from '../../core/schema/room.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { filesTools } from './tools/files.ts';
import type { FilesOptions } from './tools/files-options.ts';
import { httpTools } from './tools/http.ts';
import { humanTool } from './tools/human.ts';
import { runTool } from './tools/run-tool.ts';
import { skillRunTool } from './tools/skill-run.ts';
import type { UseSkill } from '../../kit/skills/skill-texts.ts';
import { type ShellOptions, shellTool } from './tools/shell.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import { classifierOf } from '../../kit/policy/classifier.ts';
import { classWith, judgeWith } from '../../kit/sandbox/sandbox.ts';
import { readConfined } from '../../kit/sandbox/read-confined.ts';
import { commandEnvironment } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { refuseUse } from '../../kit/unused-ports.ts';

type StartRun = Parameters<typeof runTool>[0];

type BuiltInOptions = {
  /** May be a scratch copy. */
  desk: string;
  home: Home;
  artifacts: ArtifactStore;
  startRun: StartRun;
  /** Folders outside the desk that are open to a call. */
  folders?: FilesOptions['folders'];
  /** Folders of the desk that a call may change. */
  placeOf?: FilesOptions['placeOf'];
  origins?: FilesOptions['origins'];
  shell?: Partial<ShellOptions>;
  /** Gives the accepted content of a skill; without it there is no tool for scripts of skills. */
  useSkill?: UseSkill;
  sendOn?: (host: string) => boolean;
  net?: EgressRoutes['tools'];
};

export function builtInTools(options: BuiltInOptions): Tool[] {
  const { desk, home, artifacts, startRun, folders, placeOf, origins, shell = {} } = options;
  const { useSkill, sendOn = () => false, net = {} } = options;
  return [
    shellTool({ desk, env: commandEnvironment(home), artifacts, ...shell }),
    ...filesTools({
      desk,
      artifacts,
      readDocument: readConfined,
      ...(folders === undefined ? {} : { folders }),
      ...(placeOf === undefined ? {} : { placeOf }),
      ...(origins === undefined ? {} : { origins }),
    }),
    // The host that a call names is judged with the call; one that a server names is judged here.
    ...httpTools({ ...net, artifacts, allowHost: (host, { hop }) => hop === 'asked' || sendOn(host) }),
    ...(useSkill === undefined
      ? []
      : [skillRunTool({ desk, env: commandEnvironment(home), artifacts, ...shell, use: useSkill })]),
    humanTool(),
    runTool(startRun),
  ];
}

/** For a simulation or a replay, which start no run and no script of a skill; commands may only read. */
export function detachedBuiltInTools({ desk, home, artifacts, purpose }: DetachedPlace): Tool[] {
  const startRun = (): Promise<string> => Promise.reject(new OkaError('refused', 'no run is started while replaying'));
  const skills = purpose === 'simulation' ? { useSkill: refuseUse } : {};
  const classify = classifierOf(home);
  const shell = {
    classify: classWith(classify, join(home.workspace, 'desk')),
    judge: judgeWith(classify, join(home.workspace, 'desk')),
    sandbox: async () => (await import('../../kit/sandbox/reading-sandbox.ts')).readingSandbox(home, desk),
  };
  return builtInTools({ desk, home, artifacts, startRun, shell, ...skills });
}
