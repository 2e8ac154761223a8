/** Channels by which oka reaches people. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { CHANNEL_KINDS } from '../channel-fields.ts';
import { choice, countOr, flag, text, texts } from '../../../kit/cli/options.ts';

export const channels: Readonly<Record<string, Command>> = {
  'channels list': command({
    summary: 'List the channels by which oka reaches you, and whether they work',
    json: true,
    example: 'oka channels list',
    load: () => import('./channels-list.ts'),
  }),
  'channels test': command({
    summary: 'Send a test message through a channel; exit 1 when it does not arrive',
    operands: '<name>',
    json: true,
    example: 'oka channels test phone',
    load: () => import('./channels-test.ts'),
  }),
  'channels add': command({
    summary: 'Add a channel to .oka/rules/channels.json; on a terminal, asks for what is missing',
    operands: '<name> [-- command…]',
    options: {
      kind: choice(CHANNEL_KINDS, 'KIND', 'What it is.'),
      url: text('URL', 'ntfy, apprise, webhook: the address of its server.'),
      topic: text('TOPIC', 'ntfy: the topic that your phone subscribes to.'),
      answers: text('TOPIC', 'ntfy: the topic that buttons write answers to.'),
      buttons: text('NAME', 'ntfy: the secret with a token that may only write answers.'),
      tag: text('TAG', 'apprise: the tag of the services to notify.'),
      contact: text('ADDRESS', 'push: mailto: and your address.'),
      from: text('ADDRESS', 'mail: the address that oka writes from.'),
      to: texts('ADDRESS', 'mail: who gets the messages; repeat for more.'),
      smtp: text('HOST[:PORT]', 'mail: the server that sends (465; TLS in any case).'),
      imap: text('HOST[:PORT]', 'mail: the server that is read for answers (993).'),
      user: text('NAME', 'mail: the name to log in with.'),
      tasks: text('ADDRESS', 'mail: the address whose mail becomes a task.'),
      sender: texts('ADDRESS', 'mail: who may send tasks; repeat for more.'),
      authserv: text('NAME', 'mail: your server as it names itself in Authentication-Results.'),
      secret: text('NAME', 'The secret of the vault that it uses: token, key or password.'),
      certificate: text('SHA256', 'The fingerprint of a private certificate, which is pinned.'),
      'title-only': flag('Send titles only, no content.'),
    },
    json: true,
    example: 'oka channels add phone --kind ntfy --url https://ntfy.lan --topic oka',
    load: () => import('./channels-add.ts'),
  }),
  'channels hook': command({
    summary: 'Make a signed address, /hooks/<name>, whose calls become tasks; prints its key once',
    operands: '<name>',
    json: true,
    example: 'oka channels hook deploy',
    load: () => import('./channels-hook.ts'),
  }),
  'channels log': command({
    summary: 'Show what was sent, what failed, and what came in',
    operands: '[name]',
    options: { limit: countOr(50, 'N', 'Show the latest N (default 50).') },
    json: true,
    example: 'oka channels log phone',
    load: () => import('./channels-log.ts'),
  }),
};
