/**
 * Owns: signed POSTs in the form of Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.
 * A message that is sent again has the same id, so that a receiver can recognise it.
 */
import { Fingerprint, SecretText } from '../../../core/schema/server-settings.ts';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type {
  Channel,
  ChannelMessage,
  ChannelQuestion,
  ChannelTools,
  DeliveryOutcome,
} from '../../../core/schema/channel-port.ts';
import { Address, certificateField, defineChannel, secretField, sharedSettings } from '../channel-definition.ts';
import { attempt, toOutcome } from '../http-outcome.ts';

export const WebhookChannel = z
  .strictObject({
    kind: z.literal('webhook').describe('A signed POST.'),
    url: Address.describe('Where it is posted to.'),
    secret: SecretText.describe('The key of the signature (Standard Webhooks).'),
    certificate: Fingerprint.optional(),
    ...sharedSettings,
  })
  .describe('Messages to a program of yours: signed, and with the same id when they are sent again.');
export type WebhookChannel = z.infer<typeof WebhookChannel>;

export const webhook = defineChannel({
  kind: 'webhook',
  label: 'a signed POST to a program of yours',
  settings: WebhookChannel,
  fields: {
    url: { value: 'URL', about: 'the address of its server.', ask: 'Address that is posted to', isNeeded: true },
    secret: { ...secretField, ask: 'Name of the key of its signature in the vault, such as HOOK_KEY', isNeeded: true },
    certificate: certificateField,
  },
  entryOf: ({ url, secret, certificate }) => ({ url, secret, certificate }),
  hostsOf: ({ url = '' }) => [new URL(url).host],
  addressOf: ({ url }) => new URL(url).host,
  open: (settings, tools) => Promise.resolve(openWebhook(settings, tools)),
});

export function openWebhook(settings: WebhookChannel, tools: ChannelTools, now: () => number = Date.now): Channel {
  const url = new URL(settings.url);
  const post = (
    data: Record<string, unknown>,
    { delivery }: ChannelMessage,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> =>
    attempt(async () => {
      const secret = await tools.reveal(settings.secret, url.host);
      const timestamp = String(Math.floor(now() / 1000));
      const body = JSON.stringify({ type: data['type'], timestamp: new Date(now()).toISOString(), data });
      const headers = {
        'content-type': 'application/json',
        'webhook-id': delivery,
        'webhook-timestamp': timestamp,
        'webhook-signature': signWebhook(secret, delivery, timestamp, body),
      };
      return toOutcome(await tools.fetch(url, { method: 'POST', headers, body, signal }, settings.certificate));
    });
  return {
    announce: (message, signal) => post({ type: typeOf(message), ...fieldsOf(message) }, message, signal),
    ask: (question, signal) =>
      post({ type: typeOf(question), ...fieldsOf(question), ...askedFields(question) }, question, signal),
    close: (message, signal) => post({ type: 'settled', ...fieldsOf(message) }, message, signal),
  };
}

/** `v1,` and the HMAC-SHA256 of id, timestamp and body, in base64. A secret that begins with whsec_ is base64, too. */
export function signWebhook(secret: string, id: string, timestamp: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

const TYPES: Record<ChannelMessage['kind'], string> = {
  needs_you: 'on_needs_you',
  done: 'on_done',
  failed: 'on_failed',
  digest: 'on_digest',
  budget: 'on_budget',
  message: 'on_message',
  test: 'on_test',
};
const typeOf = ({ kind }: ChannelMessage): string => TYPES[kind];

function fieldsOf({ title, body, run, link, replaces, thread }: ChannelMessage): Record<string, unknown> {
  return { title, body, run, link, thread, ...(replaces === null ? {} : { settles: replaces.delivery }) };
}

const askedFields = ({ wait, buttons, expires }: ChannelQuestion): Record<string, unknown> => ({
  wait,
  options: buttons.map(({ label }) => label),
  expires,
});
