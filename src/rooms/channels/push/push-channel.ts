/**
 * Owns: messages to browsers and phones that subscribed in the dashboard.
 *
 * P1 A push service gets encrypted bytes; the topic lets a later message replace one that was not shown yet.
 * P2 A subscription that the push service has ended is removed. The message has arrived when one browser has got it.
 * P3 A question has its buttons, with their tokens: only the browser that subscribed can read them.
 */
import { hash } from 'node:crypto';
import type { PushChannel } from './push-settings.ts';
import {
  type Channel,
  type ChannelMessage,
  type ChannelQuestion,
  type ChannelTools,
  type DeliveryOutcome,
  MOST_BUTTONS,
} from '../../../core/schema/channel-port.ts';
import { messageOf } from '../../../core/schema/errors.ts';
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
const SHORTEST_BODY = 100;

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
    const body = encryptPush(toPayload(message, tag, tools.name), subscription.keys);
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

/** What the service worker of the dashboard reads. The words give way to everything else, since half of it would be no JSON. */
function toPayload(message: ChannelMessage | ChannelQuestion, tag: string, channel: string): string {
  const { title, body, link, kind } = message;
  const buttons = 'buttons' in message && message.buttons.length <= MOST_BUTTONS ? message.buttons : [];
  const actions = buttons.map(({ label, token }) => ({ action: token, title: label.slice(0, 40) }));
  const about = {
    title: cutBytes(title, 300),
    url: link,
    tag,
    kind,
    ...(actions.length === 0 ? {} : { channel, actions }),
  };
  for (let most = MOST_BODY; ; most = Math.floor(most / 2)) {
    const text = JSON.stringify({ ...about, body: most < SHORTEST_BODY ? '' : toPlainBody(body, most) });
    if (Buffer.byteLength(text) <= MOST_PUSH_BYTES || most < SHORTEST_BODY) return text;
  }
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
