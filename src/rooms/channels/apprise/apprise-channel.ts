/** Owns: messages to an Apprise server, or to anything that takes {title, body, type} as JSON. */
import { Fingerprint, SecretText } from '../../../core/schema/server-settings.ts';
import { z } from 'zod';
import type { Channel, ChannelMessage, ChannelTools, DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import { bearerHeader } from '../bearer-token.ts';
import { Address, certificateField, defineChannel, secretField, sharedSettings } from '../channel-definition.ts';
import { attempt, toOutcome } from '../http-outcome.ts';

export const AppriseChannel = z
  .strictObject({
    kind: z.literal('apprise').describe('An Apprise server, or anything that takes {title, body, type} as JSON.'),
    url: Address.describe('Where messages are posted to, such as http://apprise.lan:8000/notify/oka.'),
    token: SecretText.optional().describe('Sent as a bearer token.'),
    tag: z.string().min(1).max(200).optional().describe('The tag of the services that Apprise notifies.'),
    certificate: Fingerprint.optional(),
    ...sharedSettings,
  })
  .describe('Messages through Apprise, which knows a hundred services.');
export type AppriseChannel = z.infer<typeof AppriseChannel>;

export const apprise = defineChannel({
  kind: 'apprise',
  label: 'an Apprise server, which knows a hundred services',
  settings: AppriseChannel,
  fields: {
    url: {
      value: 'URL',
      about: 'the address of its server.',
      ask: 'Address that is posted to, such as http://apprise.lan:8000/notify/oka',
      isNeeded: true,
    },
    secret: { ...secretField, ask: 'Name of its bearer token in the vault' },
    tag: { value: 'TAG', about: 'the tag of the services to notify.', ask: 'Tag of the services to notify' },
    certificate: certificateField,
  },
  entryOf: ({ url, secret, tag, certificate }) => ({ url, token: secret, tag, certificate }),
  hostsOf: ({ url = '' }) => [new URL(url).host],
  addressOf: ({ url }) => new URL(url).host,
  open: (settings, tools) => Promise.resolve(openApprise(settings, tools)),
});

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
