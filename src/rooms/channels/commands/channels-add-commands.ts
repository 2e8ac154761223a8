/** New channels. */
import { addChannel, channelsFile, loadChannels } from '../channels-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { askFields, askKind, askSecret } from '../ask-channel.ts';
import {
  CHANNEL_KINDS,
  type ChannelFields,
  type ChannelKind,
  channelSecrets,
  openFields,
  toChannelEntry,
} from '../channel-fields.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { type Dialog, DialogLeft } from '../../../kit/cli/dialog.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { randomBytes } from 'node:crypto';
import { addTemplate, hookSecret } from '../inbound-hooks.ts';
import { withValue } from '../../../kit/vault/vault-contents.ts';
import { CHANNEL_NAME } from '../../../core/schema/channel.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { changeSecret, renderSecretChange } from '../../../kit/cli/secret-changes.ts';
import { choice, flag, text, texts } from '../../../kit/cli/options.ts';

type Options = Omit<ChannelFields, 'command'> & { kind: ChannelKind | undefined };

type AddCall = Call<Options>;

type AddData = {
  channel: string;
  entry: Json;
  file: string;
  /** Commands that store its secrets. */
  secrets: string[];
  /** What the test has printed, where the person wanted one. */
  test: string | null;
} & ({ added: true } | { added: false; text: string });

export const commands: Commands = {
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
    example: 'oka channels add phone --kind ntfy --url https://ntfy.lan --topic oka',
    run: async (call) => {
      const { home } = call;
      const [channel = '', ...command] = call.operands;
      await requireHome(home);
      if (channel === '')
        throw new OkaError('usage', 'the name of the channel is missing', {
          fix: 'oka channels add phone --kind ntfy …',
        });
      const { channels, disabled } = loadChannels(home);
      if (channels.has(channel) || disabled.has(channel))
        throw new OkaError('usage', `there is a channel "${channel}" already`, { fix: `Edit ${channelsFile(home)}` });
      const { kind, ...options } = call.options;
      const given = { ...options, command };
      const isComplete = kind !== undefined && missingOf(kind, given).length === 0;
      if (isComplete) return addIt(call, channel, kind, given, null);
      const dialog = await call.openDialog?.();
      if (dialog === undefined) throw missing(kind, given);
      try {
        const chosen = kind ?? (await askKind(dialog));
        return await addIt(call, channel, chosen, await askFields(chosen, given, dialog), dialog);
      } catch (error) {
        if (error instanceof DialogLeft) return { code: exits.interrupted };
        throw error;
      }
    },
    render: (data, { bold }) => {
      const { channel, file, secrets, test } = data;
      if (!data.added) return `The rules are read-only here; write this to ${file}:\n\n${data.text}`;
      const hints = secrets.map((hint) => `Store its secret, unless it is there: ${hint}\n`).join('');
      return `Added ${bold(channel)}.\n${hints}${test ?? `Try it: oka channels test ${channel}\n`}`;
    },
  }),
  'channels hook': command({
    summary: 'Make a signed address, /hooks/<name>, whose calls become tasks; prints its key once',
    operands: '<name>',
    example: 'oka channels hook deploy',
    run: async (call) => {
      const hook = onlyOperand(call, 'name');
      await requireHome(call.home);
      if (!CHANNEL_NAME.test(hook))
        throw new OkaError('usage', 'the name of a hook consists of at most 40 lower-case letters, digits, - and _');
      const template = addTemplate(call.home, hook); // first: once there is a key, nothing may prevent that it is shown
      const { name, tool } = hookSecret(hook);
      const key = `whsec_${randomBytes(32).toString('base64')}`;
      const { data: changed } = await changeSecret(call, name, (contents) => {
        if ((contents.secrets[name]?.value ?? null) !== null)
          throw new OkaError('usage', `the hook ${hook} has a key already`, {
            fix: `Remove it first: oka secrets rm ${name}`,
          });
        const rules = { tools: [tool], hosts: [], commands: [] };
        const after = withValue(contents, name, key, new Date().toISOString(), rules);
        return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'set' } };
      });
      return answer({ hook, path: `/hooks/${hook}`, key, ...template, secret: changed });
    },
    render: ({ path, key, template, text, secret }, { bold }) =>
      [
        `POST to ${bold(path)} of the dashboard, signed as Standard Webhooks describe it.`,
        `Key (shown once): ${key}`,
        text === null
          ? `What is to be done with a call: edit ${template}`
          : `The rules are read-only here; write what is to be done with a call to ${template}, such as:\n\n${text}`,
        renderSecretChange(secret),
      ].join('\n'),
  }),
};

const missingOf = (kind: ChannelKind, given: ChannelFields): string[] =>
  openFields(kind, given)
    .filter(({ isNeeded }) => isNeeded)
    .map(({ name }) => (name === 'command' ? '-- and the program' : `--${name}`));

function missing(kind: ChannelKind | undefined, given: ChannelFields): OkaError {
  if (kind === undefined)
    return new OkaError('usage', 'the kind of the channel is missing', { fix: 'oka channels add phone --kind ntfy …' });
  return new OkaError('usage', `a channel of the kind ${kind} also needs ${missingOf(kind, given).join(', ')}`, {
    fix: 'On a terminal, oka asks for what is missing.',
  });
}

async function addIt(
  call: AddCall,
  channel: string,
  kind: ChannelKind,
  given: ChannelFields,
  dialog: Dialog | null,
): Promise<Answer<AddData>> {
  const { home } = call;
  const entry = toChannelEntry(kind, given);
  const text = addChannel(home, channel, entry);
  const secrets: string[] = [];
  for (const secret of channelSecrets(kind, given))
    if (dialog === null || !(await askSecret(call, { channel, ...secret }, dialog)))
      secrets.push(storeCommand(channel, secret));
  const about = { channel, entry, file: channelsFile(home), secrets };
  if (text !== null) return answer({ ...about, test: null, added: false, text }, exits.refused);
  const test = dialog === null ? null : await offerTest(call, channel, dialog);
  return answer({ ...about, test: test?.printed ?? null, added: true }, test?.code ?? exits.ok);
}

const storeCommand = (channel: string, { name, hosts }: { name: string; hosts: readonly string[] }): string =>
  [`oka secrets set ${name} --tool channels.${channel}`, ...hosts.map((host) => `--host ${host}`)].join(' ');

async function offerTest(
  { home, runOther }: AddCall,
  channel: string,
  dialog: Dialog,
): Promise<{ code: number; printed: string } | null> {
  const wants = await dialog.ask('Send a test message now? [Y/n] ');
  if (!/^(y|yes)?$/i.test(wants)) return null;
  return dialog.during(() => runOther(['channels', 'test', channel, '--dir', home.dir]));
}
