/** Every kind of channel, in the order in which they are offered. A new one is a folder with its definition, and a line here. */
import { z } from 'zod';
import { ChannelPolicy } from '../../core/schema/channel.ts';
import type { Channel, ChannelTools } from '../../core/schema/channel-port.ts';
import { apprise } from './apprise/apprise-channel.ts';
import type { ChannelDefinition, ChannelPlace, ChannelSettings } from './channel-definition.ts';
import { command } from './command/command-channel.ts';
import { desktop } from './desktop/desktop-channel.ts';
import { mail } from './mail/mail-kind.ts';
import { matrix } from './matrix/matrix-kind.ts';
import { ntfy } from './ntfy/ntfy-kind.ts';
import { push } from './push/push-kind.ts';
import { slack } from './slack/slack-kind.ts';
import { telegram } from './telegram/telegram-kind.ts';
import { webhook } from './webhook/webhook-channel.ts';
import { xmpp } from './xmpp/xmpp-kind.ts';

export const channelKinds: readonly ChannelDefinition[] = [
  ntfy,
  telegram,
  slack,
  matrix,
  xmpp,
  mail,
  push,
  webhook,
  apprise,
  command,
  desktop,
];

/** The definition of a kind that was checked before. */
export function kindOf({ kind }: { readonly kind: string }): ChannelDefinition {
  const found = channelKinds.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`there is no kind of channel "${kind}"`);
  return found;
}

const [first, ...others] = channelKinds.map(({ settings }) => settings);
if (first === undefined) throw new Error('there is no kind of channel');
export const ChannelEntry = z.discriminatedUnion('kind', [first, ...others]).describe('One channel.');

export const ChannelsFile = ChannelPolicy.extend({
  channels: z
    .record(z.string(), ChannelEntry)
    .default({})
    .describe('Channels by name, in the order in which a question escalates.'),
}).describe('.oka/rules/channels.json: how oka reaches you.');

export const openChannel = (settings: ChannelSettings, tools: ChannelTools, place: ChannelPlace): Promise<Channel> =>
  kindOf(settings).open(settings, tools, place);
