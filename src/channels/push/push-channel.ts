/**
 * Owns: messages to browsers and phones that subscribed in the dashboard.
 *
 * P1 A push service gets encrypted bytes; the topic lets a later message replace one that was not shown yet.
 * P2 A subscription that the push service has ended is removed. The message has arrived when one browser has got it.
 */
import { hash } from 'node:crypto';
import type { PushChannel } from '../../schema/channel.ts';
import type { Channel, ChannelMessage, ChannelTools, DeliveryOutcome } from '../../schema/channel-port.ts';
import { messageOf } from '../../schema/errors.ts';
import { attempt } from '../http-outcome.ts';
import { cutBytes, toPlainBody } from '../plain-body.ts';
import { encryptPush, MOST_PUSH_BYTES, type PushKeys, type VapidKey, vapidHeader } from './encrypt-push.ts';

export type PushSubscription = { id: string; endpoint: string; keys: PushKeys; about: string };

export type PushStore = {
  key: () => VapidKey;
  list: () => PushSubscription[];
  remove: (subscription: PushSubscription, reason: string) => Promise<void>;
};

const SECONDS = 86_400;
const MOST_BODY = 2500;

export function openPush(settings: PushChannel, tools: ChannelTools, store: PushStore): Channel {
  const send = (message: ChannelMessage, signal: AbortSignal): Promise<DeliveryOutcome> =>
    attempt(async () => {
      const subscriptions = store.list();
      if (subscriptions.length === 0)
        return { status: 'failed', reason: 'no browser has subscribed: see Health in the dashboard', isFinal: true };
      const outcomes = await Promise.all(
        subscriptions.map((each) => sendTo(each, message, { settings, tools, store, signal })),
      );
      const problem = outcomes.find((outcome) => outcome !== null) ?? '';
      return outcomes.includes(null) ? { status: 'sent', ref: null } : { status: 'failed', reason: problem };
    });
  return { announce: send, ask: send, close: send, canUpdate: true };
}

type Sending = { settings: PushChannel; tools: ChannelTools; store: PushStore; signal: AbortSignal };

/** Null when it has arrived, else why not. */
async function sendTo(
  subscription: PushSubscription,
  message: ChannelMessage,
  { settings, tools, store, signal }: Sending,
): Promise<string | null> {
  const url = new URL(subscription.endpoint);
  if (!isPushService(url, settings.hosts)) return `${url.host} is not named as a push service in channels.json`;
  const tag = message.replaces?.delivery ?? message.delivery;
  const headers = {
    authorization: vapidHeader(store.key(), url, settings.contact, Date.now()),
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    ttl: String(SECONDS),
    topic: hash('sha256', tag, 'base64url').slice(0, 32),
    urgency: message.urgency,
  };
  try {
    const body = encryptPush(toPayload(message, tag), subscription.keys);
    const response = await tools.fetch(url, { method: 'POST', headers, body, signal });
    await response.arrayBuffer();
    if (response.ok) return null;
    if (response.status === 404 || response.status === 410)
      await store.remove(subscription, `the push service answered with ${response.status}`);
    return `${url.host} answered with ${response.status}`;
  } catch (error) {
    return messageOf(error);
  }
}

function toPayload({ title, body, link, kind }: ChannelMessage, tag: string): string {
  const shown = { title: cutBytes(title, 300), body: toPlainBody(body, MOST_BODY), url: link, tag, kind };
  return cutBytes(JSON.stringify(shown), MOST_PUSH_BYTES);
}

const KNOWN = [
  /^fcm\.googleapis\.com$/,
  /\.push\.services\.mozilla\.com$/,
  /\.notify\.windows\.com$/,
  /\.push\.apple\.com$/,
];

/** Only push services are asked: whoever uses the dashboard cannot make the worker ask another machine. */
export function isPushService(url: URL, named: readonly string[]): boolean {
  if (named.includes(url.host)) return url.protocol === 'https:' || ['127.0.0.1', 'localhost'].includes(url.hostname);
  return url.protocol === 'https:' && url.port === '' && KNOWN.some((known) => known.test(url.hostname));
}
