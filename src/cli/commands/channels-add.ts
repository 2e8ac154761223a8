import { addChannel, channelsFile, loadChannels } from '../../daemon/channels/channels-file.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Json } from '../../schema/json.ts';
import { type Answer, answer, type Call, exits } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { requireHome } from '../require-home.ts';

type Options = {
  kind: 'ntfy' | 'command' | 'apprise' | 'webhook' | 'push' | 'desktop' | undefined;
  url: string | undefined;
  topic: string | undefined;
  answers: string | undefined;
  secret: string | undefined;
  contact: string | undefined;
  titleOnly: boolean;
};
type Data = { channel: string; entry: Json; file: string; secret: string | null } & (
  | { added: true }
  | { added: false; text: string }
);

export function run(call: Call<Options>): Promise<Answer<Data>> {
  const { home, options } = call;
  const [channel = '', ...command] = call.operands;
  requireHome(home);
  if (options.kind === undefined)
    throw new OkaError('usage', 'the kind of the channel is missing', { fix: 'oka channels add phone --kind ntfy …' });
  const { channels, disabled } = loadChannels(home);
  if (channels.has(channel) || disabled.has(channel))
    throw new OkaError('usage', `there is a channel "${channel}" already`, { fix: `Edit ${channelsFile(home)}` });
  const entry = toEntry(options, options.kind, command);
  const text = addChannel(home, channel, entry);
  const about = { channel, entry, file: channelsFile(home), secret: secretHint(channel, options) };
  if (text === null) return Promise.resolve(answer({ ...about, added: true }));
  return Promise.resolve(answer({ ...about, added: false, text }, exits.refused));
}

function toEntry(options: Options, kind: NonNullable<Options['kind']>, command: readonly string[]): Json {
  const { url, topic, answers, secret, contact, titleOnly } = options;
  const named = secret === undefined ? undefined : `secret:${secret}`;
  const given = {
    url,
    topic,
    contact,
    ...(answers === undefined ? {} : { answers: { topic: answers } }),
    ...(command.length === 0 ? {} : { command: [...command] }),
    ...(kind === 'webhook' ? { secret: named } : { token: named }),
    ...(titleOnly ? { content: 'title' } : {}),
  };
  return { kind, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function secretHint(channel: string, { secret, url }: Options): string | null {
  if (secret === undefined || url === undefined) return null;
  return `oka secrets set ${secret} --tool channels.${channel} --host ${new URL(url).host}`;
}

export function render(data: Data, { bold }: Terminal): string {
  const { channel, file, secret } = data;
  if (!data.added) return `The rules are read-only here; write this to ${file}:\n\n${data.text}`;
  const hint = secret === null ? '' : `Store its secret: ${secret}\n`;
  return `Added ${bold(channel)}.\n${hint}Try it: oka channels test ${channel}\n`;
}
