/** The dashboard, and who may use it. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { count, flag, text } from '../../../kit/cli/options.ts';
import { stay } from '../../../kit/cli/shared-options.ts';

export const web: Readonly<Record<string, Command>> = {
  web: command({
    summary: 'Serve the dashboard, until Ctrl-C; `oka up` starts it, too',
    options: {
      host: text('ADDRESS', 'Listen elsewhere than on this machine alone; needs a passphrase or a token.'),
      port: count('N', 'The port (default 6520, or another one when that is taken).'),
      stay,
    },
    json: true,
    example: 'oka web',
    load: () => import('./web-serve.ts'),
  }),
  'web link': command({
    summary: 'Print a link that opens the dashboard once, within an hour',
    json: true,
    example: 'oka web link',
    load: () => import('./web-link.ts'),
  }),
  'web passphrase': command({
    summary: 'Set the passphrase of the dashboard; read from the terminal or a pipe',
    options: { remove: flag('Remove it; links and tokens work on.') },
    json: true,
    example: 'oka web passphrase',
    load: () => import('./web-passphrase.ts'),
  }),
  'web token': command({
    summary: 'Make a token for a program that uses the API; printed once',
    operands: '<name>',
    options: { 'read-only': flag('It may look, and not answer or change anything.') },
    json: true,
    example: 'oka web token grafana --read-only',
    load: () => import('./web-token.ts'),
  }),
  'web sessions': command({
    summary: 'List the browsers and tokens that may use the dashboard',
    json: true,
    example: 'oka web sessions',
    load: () => import('./web-sessions.ts'),
  }),
  'web revoke': command({
    summary: 'End a session, or all of them',
    operands: '<session | all>',
    json: true,
    example: 'oka web revoke 3f9a1c2e',
    load: () => import('./web-revoke.ts'),
  }),
};
