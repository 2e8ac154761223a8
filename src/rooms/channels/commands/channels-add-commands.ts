/** New channels. */
import { addChannel, channelsFile, loadChannels } from '../channels-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { askFields, askKind } from '../ask-channel.ts';
import type { ChannelDefinition } from '../channel-definition.ts';
import {
  type ChannelFields,
  channelSecrets,
  fieldOptions,
  openFields,
  optionOf,
  toChannelEntry,
} from '../channel-fields.ts';
import { channelKinds, kindOf } from '../channel-kinds.ts';
import { makePairingCode } from '../messenger/pairing-code.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { type Dialog, DialogLeft } from '../../../kit/cli/dialog.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { randomBytes } from 'node:crypto';
import { addTemplate, hookSecret } from '../inbound-hooks.ts';
import { withValue } from '../../../kit/vault/vault-contents.ts';
import { CHANNEL_NAME } from '../../../core/schema/channel.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { askSecret, changeSecret, renderSecretChange } from '../../../kit/cli/secret-changes.ts';
import { choice, flag } from '../../../kit/cli/options.ts';

type AddCall = Pick<Call, 'home' | 'notify' | 'signal' | 'runOther'>;

type NewChannel = { channel: string; kind: ChannelDefinition; given: ChannelFields; isTitleOnly: boolean };

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
      kind: choice(
        channelKinds.map(({ kind }) => kind),
        'KIND',
        `What it is: ${channelKinds.map(({ kind }) => kind).join(', ')}.`,
      ),
      ...fieldOptions(),
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
      const { kind: named, titleOnly: isTitleOnly, ...options } = call.options;
      const given = { ...(options as ChannelFields), command };
      const kind = channelKinds.find((each) => each.kind === named);
      if (kind !== undefined && missingOf(kind, given).length === 0)
        return addIt(call, { channel, kind, given, isTitleOnly }, null);
      const dialog = await call.openDialog?.();
      if (dialog === undefined) throw missing(kind, given);
      try {
        const chosen = kind ?? (await askKind(dialog));
        const asked = await askFields(chosen, given, dialog);
        return await addIt(call, { channel, kind: chosen, given: asked, isTitleOnly }, dialog);
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
  'channels pair': command({
    summary: 'Show a code that you send to a messenger within ten minutes, so that oka listens to you there',
    operands: '<name>',
    example: 'oka channels pair telegram',
    run: async (call) => {
      const channel = onlyOperand(call, 'channel');
      await requireHome(call.home);
      const settings = loadChannels(call.home).channels.get(channel);
      if (settings === undefined || kindOf(settings).isMessenger !== true)
        throw new OkaError('not-set-up', `there is no messenger "${channel}" in channels.json`, {
          fix: 'Add one: oka channels add telegram --kind telegram --secret TELEGRAM',
        });
      const { code, until } = makePairingCode(call.home, channel, Date.now());
      return answer({ channel, code, until: new Date(until).toISOString() });
    },
    render: ({ channel, code, until }, { bold, toMinute }) =>
      `Send ${bold(code)} to ${channel} before ${toMinute(until)}. It counts once.\n`,
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

const missingOf = (kind: ChannelDefinition, given: ChannelFields): string[] =>
  openFields(kind, given)
    .filter(({ isNeeded }) => isNeeded)
    .map(({ name }) => optionOf(name));

function missing(kind: ChannelDefinition | undefined, given: ChannelFields): OkaError {
  if (kind === undefined)
    return new OkaError('usage', 'the kind of the channel is missing', { fix: 'oka channels add phone --kind ntfy …' });
  return new OkaError('usage', `a channel of the kind ${kind.kind} also needs ${missingOf(kind, given).join(', ')}`, {
    fix: 'On a terminal, oka asks for what is missing.',
  });
}

async function addIt(
  call: AddCall,
  { channel, kind, given, isTitleOnly }: NewChannel,
  dialog: Dialog | null,
): Promise<Answer<AddData>> {
  const { home } = call;
  const entry = toChannelEntry(kind, given, isTitleOnly);
  const text = addChannel(home, channel, entry);
  const secrets: string[] = [];
  for (const secret of channelSecrets(kind, given))
    if (dialog === null || !(await askSecret(call, { tool: `channels.${channel}`, ...secret }, dialog)))
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
