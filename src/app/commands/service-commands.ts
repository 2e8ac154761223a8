/** oka as a service: started with the machine, and again when it ends by mistake. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { answer, type Answer, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { flag, text } from '../../kit/cli/options.ts';
import { requireHome } from '../../kit/cli/require-home.ts';
import { OkaError } from '../../core/schema/errors.ts';
import {
  installService,
  logCommand,
  removeService,
  serviceKind,
  serviceState,
  type ServiceState,
} from '../service/service.ts';

export const commands: Commands = {
  'service install': command({
    summary: 'Start oka with the machine, as a service of this user (systemd or launchd)',
    example: 'oka service install --dir ~/assistant',
    run: async ({ home }): Promise<Answer<ServiceState>> => {
      await requireHome(home);
      return answer(installService(home));
    },
    render: (state) =>
      `${state.name} is installed and ${state.isRunning ? 'runs' : 'starts'}: ${state.file}\n${lingering(state)}What it prints: oka service logs\n`,
  }),
  'service status': command({
    summary: 'Whether the service is installed and runs; exit 1 if not',
    example: 'oka service status',
    run: async ({ home }): Promise<Answer<ServiceState>> => {
      const state = serviceState(home);
      return answer(state, state.isInstalled && state.isRunning ? exits.ok : exits.no);
    },
    render: (state) => {
      if (!state.isInstalled) return `No service is installed for this home. Install it: oka service install\n`;
      return `${state.name} ${state.isRunning ? 'runs' : 'does not run'}: ${state.file}\n${lingering(state)}`;
    },
  }),
  'service logs': command({
    summary: 'Show what the service has printed',
    options: {
      lines: text('N', 'How many lines (default 50).'),
      follow: flag('Go on as it prints more, until Ctrl-C.'),
    },
    example: 'oka service logs --follow',
    json: false,
    run: async ({ home, options, signal }): Promise<Answer<never>> => {
      const lines = Number(options.lines ?? 50);
      if (!Number.isSafeInteger(lines) || lines < 0)
        throw new OkaError('usage', `--lines: "${options.lines}" is not a number`);
      const [program = '', ...args] = logCommand(home, serviceKind(), lines, options.follow);
      const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], signal });
      const [code] = (await once(child, 'close').catch((error: unknown) => {
        if (signal.aborted) return [0]; // Ctrl-C ends it
        throw new OkaError('not-set-up', `${program} could not be started, which shows what the service prints`, {
          cause: error,
        });
      })) as [number | null];
      return { code: signal.aborted || code === 0 ? exits.ok : exits.no };
    },
  }),
  'service remove': command({
    summary: 'Stop the service; it no longer starts with the machine. The home stays',
    example: 'oka service remove',
    run: async ({ home }): Promise<Answer<ServiceState>> => answer(removeService(home)),
    render: ({ name }) => `${name} no longer starts with the machine. Nothing in the home was changed.\n`,
  }),
};

const lingering = ({ lingers }: ServiceState): string =>
  lingers === false ? 'It runs while you are logged in. To let it run always: loginctl enable-linger\n' : '';
