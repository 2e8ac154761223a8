/**
 * Owns: .oka/rules/channels.json, which people write.
 *
 * F1 A channel that cannot be used costs only itself; the others work. A file that cannot be read has no channels.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { z } from 'zod';
import { CHANNEL_NAME, ChannelPolicy } from '../../core/schema/channel.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ChannelSettings } from './channel-definition.ts';
import { ChannelEntry } from './channel-kinds.ts';

export type HomeChannels = {
  policy: ChannelPolicy;
  /** Those that are not disabled, in the order of the file. */
  channels: ReadonlyMap<string, ChannelSettings>;
  disabled: ReadonlyMap<string, ChannelSettings>;
  problems: { channel: string | null; problem: string }[];
};

export const channelsFile = (home: Home): string => join(home.oka, 'rules', 'channels.json');

/** Changes when the file does. */
export function channelsStamp(home: Home): string {
  try {
    const { mtimeMs, size, ino } = statSync(channelsFile(home));
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

export function loadChannels(home: Home): HomeChannels {
  const file = readFile(home);
  if ('problem' in file) return noChannels(file.problem);
  const { channels: entries = {}, ...rest } = file.whole;
  const policy = readChannelPolicy(rest);
  if (typeof policy === 'string') return noChannels(`channels.json: ${policy}`);
  if (!isMap(entries)) return noChannels('channels.json: "channels" is not an object');
  const found = { policy, channels: new Map(), disabled: new Map(), problems: [] } as {
    policy: ChannelPolicy;
    channels: Map<string, ChannelSettings>;
    disabled: Map<string, ChannelSettings>;
    problems: HomeChannels['problems'];
  };
  for (const [name, entry] of Object.entries(entries)) {
    const read = readChannelEntry(name, entry);
    if (typeof read === 'string') found.problems.push({ channel: name, problem: read });
    else (read.disabled ? found.disabled : found.channels).set(name, read);
  }
  return found;
}

/**
 * Adds or replaces a channel. Where the rules are read-only nothing is changed, and the text that a person has to
 * write is returned; else null.
 */
export function addChannel(home: Home, name: string, entry: Json): string | null {
  const read = readChannelEntry(name, entry);
  if (typeof read === 'string') throw new OkaError('usage', `the channel ${name} cannot be added: ${read}`);
  const file = readFile(home);
  if ('problem' in file) throw new OkaError('invalid-file', file.problem, { fix: 'Correct the file first.' });
  const { channels = {} } = file.whole;
  if (!isMap(channels)) throw new OkaError('invalid-file', 'channels.json: "channels" is not an object');
  const text = `${JSON.stringify({ ...file.whole, channels: { ...channels, [name]: entry } }, null, 2)}\n`;
  try {
    replaceFile(channelsFile(home), text, { mode: 0o644 });
    return null;
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-permitted') return text;
    throw error;
  }
}

/** The settings of one channel, or what is wrong with them. */
export function readChannelEntry(name: string, entry: unknown): ChannelSettings | string {
  if (!CHANNEL_NAME.test(name)) return 'its name has to consist of at most 40 lower-case letters, digits, - and _';
  const read = ChannelEntry.safeParse(entry);
  return read.success ? read.data : z.prettifyError(read.error).replaceAll('\n', ' ');
}

/** What applies to all channels, or what is wrong with it. */
function readChannelPolicy(entry: unknown): ChannelPolicy | string {
  const read = ChannelPolicy.safeParse(entry);
  return read.success ? read.data : z.prettifyError(read.error).replaceAll('\n', ' ');
}

function readFile(home: Home): { whole: Record<string, Json> } | { problem: string } {
  const file = channelsFile(home);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { whole: {} };
    return { problem: `${file} cannot be read: ${messageOf(error)}` };
  }
  try {
    const whole = JSON.parse(text) as Json;
    return isMap(whole) ? { whole } : { problem: `${file} is not a JSON object` };
  } catch (error) {
    return { problem: `${file} is not JSON: ${messageOf(error)}` };
  }
}

const noChannels = (problem: string): HomeChannels => ({
  policy: ChannelPolicy.parse({}),
  channels: new Map(),
  disabled: new Map(),
  problems: [{ channel: null, problem }],
});

const isMap = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
