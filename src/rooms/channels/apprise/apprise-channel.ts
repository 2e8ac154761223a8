/** Owns: messages to an Apprise server, or to anything that takes {title, body, type} as JSON. */
import type { AppriseChannel } from '../../../core/schema/channel.ts';
import type { Channel, ChannelMessage, ChannelTools, DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import { bearerHeader } from '../bearer-token.ts';
import { attempt, toOutcome } from '../http-outcome.ts';

export function openApprise(settings: AppriseChannel, tools: ChannelTools): Channel {
  const url = new URL(settings.url);
  const post = (message: ChannelMessage, signal: AbortSignal): Promise<DeliveryOutcome> =>
    attempt(async () => {
      const { token, tag, certificate } = settings;
      const bearer = await bearerHeader(token, url, tools);
      const body = JSON.stringify({ ...toAppriseMessage(message), ...(tag === undefined ? {} : { tag }) });
      const headers = { 'content-type': 'application/json', ...bearer };
      return toOutcome(await tools.fetch(url, { method: 'POST', headers, body, signal }, certificate));
    });
  return { announce: post, ask: post };
}

/** The fields that Apprise knows. */
export function toAppriseMessage(message: ChannelMessage): { title: string; body: string; type: string } {
  const { title, body, link, kind } = message;
  const type = kind === 'failed' ? 'failure' : kind === 'done' ? 'success' : kind === 'needs_you' ? 'warning' : 'info';
  return {
    title,
    body: [body, ...(link === null ? [] : [link])].filter((part) => part !== '').join('\n\n') || title,
    type,
  };
}
