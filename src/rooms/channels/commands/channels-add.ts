import { addChannel, channelsFile, loadChannels } from '../channels-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { askFields, askKind, askSecret } from '../ask-channel.ts';
import { type ChannelFields, type ChannelKind, channelSecrets, openFields, toChannelEntry } from '../channel-fields.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { type Dialog, DialogLeft } from '../../../kit/cli/dialog.ts';
import { type Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = Omit<ChannelFields, 'command'> & { kind: ChannelKind | undefined };
type AddCall = Call<Options>;
type Data = {
  channel: string;
  entry: Json;
  file: string;
  /** Commands that store its secrets. */
  secrets: string[];
  /** What the test has printed, where the person wanted one. */
  test: string | null;
} & ({ added: true } | { added: false; text: string });

export async function run(call: AddCall): Promise<Answer<Data>> {
  const { home } = call;
  const [channel = '', ...command] = call.operands;
  await requireHome(home);
  if (channel === '')
    throw new OkaError('usage', 'the name of the channel is missing', { fix: 'oka channels add phone --kind ntfy …' });
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
}

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
): Promise<Answer<Data>> {
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

export function render(data: Data, { bold }: Terminal): string {
  const { channel, file, secrets, test } = data;
  if (!data.added) return `The rules are read-only here; write this to ${file}:\n\n${data.text}`;
  const hints = secrets.map((hint) => `Store its secret, unless it is there: ${hint}\n`).join('');
  return `Added ${bold(channel)}.\n${hints}${test ?? `Try it: oka channels test ${channel}\n`}`;
}
