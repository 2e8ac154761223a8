/**
 * Owns: an app of Slack as a messenger: Socket Mode for what comes in, the Web API for the rest.
 *
 * S1 An event is acknowledged when it is durable. Slack gives up on one after a few attempts, so what was written while
 *    nobody listened is read from the history, from a little before the last message that was handled.
 * S2 Each message of oka has its key with it, by which it is found in the history before it is sent again.
 * S3 Texts are plain: nothing in them becomes markup, a mention or a preview.
 */
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import {
  type Incoming,
  type Listening,
  type Messenger,
  NetworkError,
  type OutgoingButton,
  type OutgoingText,
  readUpTo,
} from '../messenger/messenger.ts';
import { isThisMachine } from '../../../kit/mail/this-machine.ts';
import { type Call, openCalls } from './slack-calls.ts';
import { type Envelope, type Message, toIncoming, toPress } from './slack-incoming.ts';
import type { SlackChannel } from './slack-settings.ts';
import { openTextSocket, type TextSocket } from './slack-socket.ts';

/** Of a text in a block, 3,000 are documented. */
const MOST_TEXT = 2900;
const MEBIBYTE = 1024 * 1024;
const OVERLAP_SECONDS = 600;
/** A delivery is tried for a day. */
const REPEATED_SECONDS = 2 * 86_400;
const MOST_SEARCHED = 1000;

export function slackMessenger(settings: SlackChannel, tools: ChannelTools): Messenger {
  const call = openCalls(settings, tools, 'token');
  return {
    limits: {
      text: MOST_TEXT,
      payload: 2000,
      buttons: 8,
      fileBytes: 45 * MEBIBYTE,
      markup: 'plain',
      repeats: 'visible in files',
    },
    listen: (take, listening) => listen(settings, tools, call, take, listening),
    sendText: async (chat, text, signal) => {
      const found = text.isRepeat ? await findSent(call, chat, text.key, signal) : null;
      if (found !== null) return found;
      const metadata = { event_type: 'oka_message', event_payload: { key: text.key } };
      const quiet = { unfurl_links: false, unfurl_media: false };
      const { ts } = await call('chat.postMessage', { channel: chat, ...contentOf(text), metadata, ...quiet }, signal);
      return String(ts);
    },
    editText: async (chat, id, text, signal) =>
      void (await call('chat.update', { channel: chat, ts: id, ...contentOf(text) }, signal)),
    editButtons: async (chat, id, buttons, signal) => {
      const { messages } = await call(
        'conversations.history',
        { channel: chat, latest: id, inclusive: true, limit: 1 },
        signal,
      );
      const [message] = messages as Message[];
      if (message?.ts !== id) throw new NetworkError('the message is not there any more', { isFinal: true });
      const kept = (message.blocks ?? []).filter(({ type }) => type !== 'actions');
      const blocks = [...kept, ...actions(buttons)];
      await call('chat.update', { channel: chat, ts: id, text: message.text ?? '', blocks }, signal);
    },
    sendFile: async (chat, { name, content, caption }, signal) => {
      const ask = { filename: name, length: content.length };
      const { upload_url, file_id } = await call('files.getUploadURLExternal', ask, signal);
      const to = ownPlace(String(upload_url), settings, 'https:');
      const body = new Uint8Array(content);
      const headers = { 'content-type': 'application/octet-stream' };
      const response = await tools.fetch(to, { method: 'POST', headers, body, signal });
      if (!response.ok) throw new NetworkError(`Slack does not take the file: ${response.status}`);
      const files = [{ id: file_id, title: name }];
      const words = caption === '' ? {} : { initial_comment: caption };
      await call('files.completeUploadExternal', { files, channel_id: chat, ...words }, signal);
      return String(file_id);
    },
    fetchFile: async ({ id, bytes }, most, signal) => {
      if ((bytes ?? 0) > most) throw new NetworkError('the file is too large', { isFinal: true });
      const url = ownPlace(id, settings, 'https:');
      const authorization = `Bearer ${await tools.reveal(settings.token, new URL(settings.api).host)}`;
      const response = await tools.fetch(url, { method: 'GET', headers: { authorization }, signal });
      if (!response.ok) throw new NetworkError(`the file is not there: ${response.status}`, { isFinal: true });
      return readUpTo(response, most);
    },
    typing: () => Promise.resolve(),
    answerPress: async (press, text, signal) => {
      const [channel, user] = press.split(' ');
      await call('chat.postEphemeral', { channel, user, text: escapeText(text) }, signal).catch(() => undefined); // it is only shown for a moment
    },
  };
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** With buttons the text is in a block, else alone. */
function contentOf({ plain, buttons }: OutgoingText): Readonly<Record<string, unknown>> {
  const text = { type: 'plain_text', text: plain, emoji: false };
  const blocks = [{ type: 'section', text }, ...actions(buttons)];
  return { text: escapeText(plain), mrkdwn: false, parse: 'none', blocks };
}

const actions = (buttons: readonly OutgoingButton[]): { type: string }[] =>
  buttons.length === 0
    ? []
    : [
        {
          type: 'actions',
          elements: buttons.map(({ label, payload }, at) => ({
            type: 'button',
            action_id: `oka-${at}`,
            text: { type: 'plain_text', text: label.slice(0, 75) },
            value: payload,
          })),
        } as { type: string },
      ];

async function findSent(call: Call, chat: string, key: string, signal: AbortSignal): Promise<string | null> {
  const oldest = String(Math.floor(Date.now() / 1000) - REPEATED_SECONDS);
  const messages = await history(call, { channel: chat, oldest, include_all_metadata: true }, MOST_SEARCHED, signal);
  return messages.find(({ metadata }) => metadata?.event_payload?.key === key)?.ts ?? null;
}

/** The newest first, as many as there are or as are wanted. */
async function history(
  call: Call,
  asked: Readonly<Record<string, unknown>>,
  most: number,
  signal: AbortSignal,
): Promise<Message[]> {
  const found: Message[] = [];
  let cursor = '';
  do {
    const page = await call(
      'conversations.history',
      { ...asked, limit: 200, ...(cursor === '' ? {} : { cursor }) },
      signal,
    );
    found.push(...(page['messages'] as Message[]));
    const { next_cursor = '' } = (page['response_metadata'] ?? {}) as { next_cursor?: string };
    cursor = page['has_more'] === true ? next_cursor : '';
  } while (cursor !== '' && found.length < most);
  return found;
}

/** Secrets and files go to Slack, or to the server that a person named, and nowhere else. */
function ownPlace(address: string, { api }: SlackChannel, protocol: 'https:' | 'wss:'): URL {
  const url = URL.parse(address);
  const own = new URL(api);
  const isOwn = url?.host === own.host || url?.hostname.endsWith('.slack.com') === true;
  const isPlain = url !== null && isThisMachine(url.hostname) && url.protocol === protocol.replace('s:', ':');
  if (!isOwn || !(url?.protocol === protocol || isPlain))
    throw new NetworkError('Slack names a server that is not its own', { isFinal: true });
  return url;
}

async function listen(
  settings: SlackChannel,
  tools: ChannelTools,
  call: Call,
  take: (incoming: Incoming) => Promise<void>,
  listening: Listening,
): Promise<void> {
  const { position, signal } = listening;
  const { user_id } = await call('auth.test', {}, signal);
  const asked = await openCalls(settings, tools, 'app_token')('apps.connections.open', {}, signal);
  const url = ownPlace(String(asked['url']), settings, 'wss:');
  const proxy = await tools.proxyFor(url.hostname, Number(url.port || 443));
  const socket = await openTextSocket(url, proxy, signal);
  const nameOf = names(call, signal);
  const receive = async (message: Message): Promise<void> => {
    const incoming = toIncoming(message, { me: String(user_id), name: await nameOf(message.user) });
    if (incoming !== null && !signal.aborted) await take(incoming);
  };
  try {
    await catchUp(call, position, receive, signal);
    await takeEvents(socket, receive, take, listening);
  } finally {
    socket.close();
  }
}

async function takeEvents(
  socket: TextSocket,
  receive: (message: Message) => Promise<void>,
  take: (incoming: Incoming) => Promise<void>,
  { ready, signal }: Pick<Listening, 'ready' | 'signal'>,
): Promise<void> {
  for (let text = await socket.next(); text !== null && !signal.aborted; text = await socket.next()) {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.type === 'hello') ready();
    if (envelope.type === 'disconnect') throw new Error('Slack asks for a new connection');
    const { event } = envelope.payload ?? {};
    if (envelope.type === 'events_api' && event?.type === 'message') await receive(event);
    const press = envelope.type === 'interactive' ? toPress(envelope) : null;
    if (press !== null) await take(press);
    if (envelope.envelope_id !== undefined) socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }));
  }
  if (!signal.aborted) throw new Error('the connection ended');
}

/** What was written in chats of two since the last message, the oldest first (S1). */
async function catchUp(
  call: Call,
  position: string | null,
  receive: (message: Message) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const oldest = String(Number(position ?? Math.floor(Date.now() / 1000)) - OVERLAP_SECONDS);
  const { channels } = await call('users.conversations', { types: 'im', limit: 200 }, signal);
  const missed: Message[] = [];
  for (const { id } of channels as { id: string }[]) {
    const messages = await history(call, { channel: id, oldest }, Infinity, signal);
    missed.push(...messages.map((message) => ({ ...message, channel: id, channel_type: 'im' })));
  }
  for (const message of missed.toSorted((one, other) => Number(one.ts) - Number(other.ts))) await receive(message);
}

/** What people call themselves; only how they are greeted depends on it. */
function names(call: Call, signal: AbortSignal): (user: string | undefined) => Promise<string> {
  const known = new Map<string, string>();
  return async (user = '') => {
    if (user === '') return 'somebody';
    const found = known.get(user);
    if (found !== undefined) return found;
    const said = await call('users.info', { user }, signal).catch(() => null); // a name is not needed
    const { real_name = user } = (said?.['user'] ?? {}) as { real_name?: string };
    if (known.size < 1000) known.set(user, real_name);
    return real_name;
  };
}
