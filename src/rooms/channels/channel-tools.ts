/** Owns: what a channel works with: its name, and its own access to servers. */
import type { ChannelTools } from '../../core/schema/channel-port.ts';
import { type AccessRoute, serverAccess } from '../../kit/egress/server-access.ts';

export const channelTools = (name: string, route: AccessRoute): ChannelTools => ({
  name,
  ...serverAccess({ tool: `channels.${name}`, called: `the channel ${name}` }, route),
});
