/** Owns: what Slack says that people wrote and pressed, as a messenger hands it over. Pure. */
import type { IncomingPress, IncomingText } from '../messenger/messenger.ts';

type File = { name?: string; size?: number; subtype?: string; url_private_download?: string };

export type Message = {
  type?: string;
  subtype?: string;
  channel?: string;
  channel_type?: string;
  user?: string;
  bot_id?: string;
  text?: string;
  ts: string;
  thread_ts?: string;
  files?: File[];
  blocks?: { type: string }[];
  attachments?: { is_share?: boolean; is_msg_unfurl?: boolean; text?: string; fallback?: string }[];
  metadata?: { event_payload?: { key?: string } };
};

export type Envelope = {
  type: string;
  envelope_id?: string;
  payload?: {
    event?: Message;
    user?: { id: string };
    channel?: { id: string };
    message?: { ts: string };
    actions?: { value?: string; action_ts: string }[];
  };
};

/** Null: nobody else wrote it, or it is something else than a message. */
export function toIncoming(message: Message, { me, name }: { me: string; name: string }): IncomingText | null {
  const { subtype, channel, channel_type, user, bot_id, ts, thread_ts, text = '' } = message;
  if (channel === undefined || user === undefined || user === me || bot_id !== undefined) return null;
  if (subtype !== undefined && subtype !== 'file_share' && subtype !== 'thread_broadcast') return null;
  const shared = (message.attachments ?? []).filter(({ is_share, is_msg_unfurl }) => is_share ?? is_msg_unfurl);
  const files = (message.files ?? []).filter(({ url_private_download: url }) => url !== undefined);
  const isVoice = files.some((file) => file.subtype === 'slack_audio');
  const words = [text, ...shared.map((each) => each.text ?? each.fallback ?? '')].filter((each) => each !== '');
  return {
    kind: 'text',
    id: `${channel}/${ts}`,
    place: ts,
    position: ts,
    at: Math.floor(Number(ts) * 1000),
    order: Number(ts.split('.')[1] ?? 0),
    chat: channel,
    isGroup: channel_type !== 'im',
    person: user,
    name,
    text: plainText(words.join('\n\n')),
    replyTo: thread_ts === undefined || thread_ts === ts ? null : thread_ts,
    isForwarded: shared.length > 0,
    isVoice,
    files: isVoice
      ? []
      : files.map((file) => ({
          id: file.url_private_download ?? '',
          name: file.name ?? 'file',
          bytes: file.size ?? null,
        })),
  };
}

/** `<https://a.example|words>` is an address, `<@U1>` a person. */
const plainText = (text: string): string =>
  text
    .replaceAll(/<([^<>|]+)(?:\|[^<>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

export function toPress({ payload = {} }: Envelope): IncomingPress | null {
  const { user, channel, message, actions = [] } = payload;
  const [action] = actions;
  if (user === undefined || channel === undefined || message === undefined || action === undefined) return null;
  const place = { chat: channel.id, isGroup: !channel.id.startsWith('D'), person: user.id, name: user.id };
  const id = `press-${user.id}-${action.action_ts}`;
  const about = { kind: 'press', id, at: 0, order: 0, ...place } as const;
  return { ...about, message: message.ts, payload: action.value ?? '', press: `${channel.id} ${user.id}` };
}
