/** Secrets, command classes, and egress. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, text, texts } from '../../../kit/cli/options.ts';
import { limit, stay } from '../../../kit/cli/shared-options.ts';

export const guard: Readonly<Record<string, Command>> = {
  'secrets set': command({
    summary: 'Put a secret into the vault; the value is typed in or piped, never an argument',
    operands: '<name>',
    options: {
      tool: texts('TOOL', 'A tool that may have it; repeat for more.'),
      host: texts('HOST', 'A host it may be sent to; repeat for more.'),
      command: texts('COMMAND', 'A command of a model that may have it, with --tool shell; repeat for more.'),
      header: text(
        'HEADER',
        'For commands: the proxy adds this header, with {} for the value, to requests to the hosts; no command gets the value.',
      ),
      passphrase: flag('With the first secret: wrap the new key with a passphrase.'),
    },
    json: true,
    example: 'oka secrets set GITHUB_TOKEN --tool http.request --host api.github.com',
    load: () => import('../../../rooms/secrets/commands/secrets-set.ts'),
  }),
  'secrets rotate': command({
    summary: 'Give a secret a new value; the old one is still redacted everywhere',
    operands: '<name>',
    json: true,
    example: 'oka secrets rotate GITHUB_TOKEN',
    load: () => import('../../../rooms/secrets/commands/secrets-rotate.ts'),
  }),
  'secrets list': command({
    summary: 'List the secrets, never their values',
    json: true,
    example: 'oka secrets list',
    load: () => import('../../../rooms/secrets/commands/secrets-list.ts'),
  }),
  'secrets show-usage': command({
    summary: 'List the calls that were given a secret',
    operands: '[name]',
    options: { limit },
    json: true,
    example: 'oka secrets show-usage GITHUB_TOKEN',
    load: () => import('../../../rooms/secrets/commands/secrets-show-usage.ts'),
  }),
  'secrets rm': command({
    summary: 'Remove a secret; its value is still redacted everywhere',
    operands: '<name>',
    options: { forget: flag('Also stop redacting its values.') },
    json: true,
    example: 'oka secrets rm GITHUB_TOKEN',
    load: () => import('../../../rooms/secrets/commands/secrets-rm.ts'),
  }),
  'secrets export-recipient': command({
    summary: 'Print the public key of the vault: what others encrypt to',
    json: true,
    example: 'oka secrets export-recipient',
    load: () => import('../../../rooms/secrets/commands/secrets-export-recipient.ts'),
  }),
  classify: command({
    summary: 'Show what a command may change and whether it would run; nothing is run',
    operands: '<command | ->',
    options: { tool: flag('It is the name of a tool, such as one of an MCP server.') },
    json: true,
    example: "oka classify 'git push origin main'",
    load: () => import('../../../rooms/approvals/commands/classify.ts'),
  }),
  egress: command({
    summary: 'Run the proxy through which commands reach the outside, alone',
    options: {
      listen: text('ADDRESS', 'Where to listen (default 127.0.0.1:3128; port 0 for any).'),
      key: text('FILE', 'A key shared with the worker; only its steps may use the proxy.'),
      stay,
    },
    json: true,
    example: 'oka egress --listen 0.0.0.0:3128 --key /run/secrets/egress',
    load: () => import('../../../rooms/approvals/commands/egress.ts'),
  }),
};
