/** Channels by which oka reaches people. */
import { type Command, command } from '../command-module.ts';
import { choice, countOr, flag, text } from '../options.ts';

export const channels: Readonly<Record<string, Command>> = {
  'channels list': command({
    summary: 'List the channels by which oka reaches you, and whether they work',
    json: true,
    example: 'oka channels list',
    load: () => import('../commands/channels-list.ts'),
  }),
  'channels test': command({
    summary: 'Send a test message through a channel; exit 1 when it does not arrive',
    operands: '<name>',
    json: true,
    example: 'oka channels test phone',
    load: () => import('../commands/channels-test.ts'),
  }),
  'channels add': command({
    summary: 'Add a channel to .oka/rules/channels.json; behind -- the program of a command channel',
    operands: '<name> [-- command…]',
    options: {
      kind: choice(
        ['ntfy', 'command', 'apprise', 'webhook', 'push', 'desktop'],
        'KIND',
        'What it is. Mail has more settings: see docs/CHANNELS.md.',
      ),
      url: text('URL', 'The address of its server.'),
      topic: text('TOPIC', 'For ntfy: the topic that your phone subscribes to.'),
      answers: text('TOPIC', 'For ntfy: the topic that answers are written to.'),
      secret: text('NAME', 'The secret of the vault that it uses.'),
      contact: text('ADDRESS', 'For push: mailto: and your address.'),
      'title-only': flag('Send titles only, no content.'),
    },
    json: true,
    example: 'oka channels add phone --kind ntfy --url https://ntfy.lan --topic oka',
    load: () => import('../commands/channels-add.ts'),
  }),
  'channels hook': command({
    summary: 'Make a signed address, /hooks/<name>, whose calls become tasks; prints its key once',
    operands: '<name>',
    json: true,
    example: 'oka channels hook deploy',
    load: () => import('../commands/channels-hook.ts'),
  }),
  'channels log': command({
    summary: 'Show what was sent, what failed, and what came in',
    operands: '[name]',
    options: { limit: countOr(50, 'N', 'Show the latest N (default 50).') },
    json: true,
    example: 'oka channels log phone',
    load: () => import('../commands/channels-log.ts'),
  }),
};
