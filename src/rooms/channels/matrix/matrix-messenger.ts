/**
 * Owns: the client-server API of Matrix as a messenger: one sync after the other, each room in order.
 *
 * M1 A batch counts as read with its last message; those before it have the token of the batch before, so that after a
 *    crash the batch comes again. What a sync leaves out (`limited`) is read before what it has.
 * M2 Each message that is sent has an id of its own, by which the server recognises it when it is sent again.
 * M3 Messages of encrypted rooms cannot be read: whoever writes there is told so.
 */
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import {
  type Incoming,
  type IncomingFile,
  type Listening,
  type Messenger,
  NetworkError,
  type OutgoingText,
  readUpTo,
} from '../messenger/messenger.ts';
import type { MatrixChannel } from './matrix-settings.ts';

/** An event has at most 65,536 bytes, and its text stands in it twice. */
const MOST_TEXT = 12_000;
const SYNC_MS = 30_000;
const MEBIBYTE = 1024 * 1024;
const API = '_matrix/client/v3';

type Ask = { method: string; path: string; body?: unknown; bytes?: Uint8Array; signal: AbortSignal };
type Call = (ask: Ask) => Promise<Response>;

export function matrixMessenger(settings: MatrixChannel, tools: ChannelTools): Messenger {
  const call = openCalls(settings, tools);
  const send = async (chat: string, key: string, content: unknown, signal: AbortSignal): Promise<string> => {
    const path = `${API}/rooms/${encodeURIComponent(chat)}/send/m.room.message/${encodeURIComponent(`oka-${key}`)}`;
    const { event_id: id } = await json<{ event_id: string }>(call({ method: 'PUT', path, body: content, signal }));
    return id;
  };
  return {
    limits: { text: MOST_TEXT, payload: 0, buttons: 0, fileBytes: 45 * MEBIBYTE, markup: 'html', repeats: 'harmless' },
    listen: (take, listening) => sync(call, take, listening),
    sendText: (chat, text, signal) => send(chat, text.key, { ...contentOf(text), ...replyTo(text) }, signal),
    editText: async (chat, id, text, signal) => {
      const relation = { 'm.relates_to': { rel_type: 'm.replace', event_id: id } };
      const changed = { ...contentOf(text), body: `* ${text.plain}`, 'm.new_content': contentOf(text), ...relation };
      await send(chat, `edit-${text.key}`, changed, signal);
    },
    editButtons: () => Promise.resolve(),
    answerPress: () => Promise.resolve(),
    sendFile: async (chat, { name, content, isPicture, key }, signal) => {
      const path = `_matrix/media/v3/upload?filename=${encodeURIComponent(name)}`;
      const { content_uri: url } = await json<{ content_uri: string }>(
        call({ method: 'POST', path, bytes: content, signal }),
      );
      const msgtype = isPicture ? 'm.image' : 'm.file';
      return send(chat, key, { msgtype, body: name, filename: name, url, info: { size: content.length } }, signal);
    },
    fetchFile: async ({ id, bytes }, most, signal) => {
      const [, server = '', media = ''] = /^mxc:\/\/([^/]+)\/([\w-]+)$/.exec(id) ?? [];
      if (media === '' || (bytes ?? 0) > most) throw new NetworkError('the file is too large', { isFinal: true });
      const path = `_matrix/client/v1/media/download/${encodeURIComponent(server)}/${media}`;
      return readUpTo(await call({ method: 'GET', path, signal }), most);
    },
    typing: async (chat, signal) => {
      const me = await whoAmI(call, signal);
      const path = `${API}/rooms/${encodeURIComponent(chat)}/typing/${encodeURIComponent(me)}`;
      await call({ method: 'PUT', path, body: { typing: true, timeout: 20_000 }, signal });
    },
  };
}

const contentOf = ({ text, plain }: OutgoingText): Readonly<Record<string, unknown>> => ({
  msgtype: 'm.text',
  body: plain,
  format: 'org.matrix.custom.html',
  formatted_body: text.replaceAll(/\n(?![^<]*<\/pre>)/g, '<br>'),
});

const replyTo = ({ replyTo: id }: OutgoingText): Readonly<Record<string, unknown>> =>
  id === null ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: id } } };

function openCalls({ server, token }: MatrixChannel, tools: ChannelTools): Call {
  const base = new URL(server.replace(/\/?$/, '/'));
  return async ({ method, path, body, bytes, signal }) => {
    const authorization = `Bearer ${await tools.reveal(token, base.host)}`;
    const type = bytes === undefined ? 'application/json' : 'application/octet-stream';
    const sent =
      bytes === undefined
        ? body === undefined
          ? {}
          : { body: JSON.stringify(body) }
        : { body: new Uint8Array(bytes) };
    const headers = { authorization, 'content-type': type };
    const response = await tools.fetch(new URL(path, base), { method, headers, ...sent, signal });
    if (response.ok) return response;
    throw await problemOf(response);
  };
}

type Problem = { errcode?: string; error?: string; retry_after_ms?: number };

async function problemOf(response: Response): Promise<NetworkError> {
  const text = (await response.text()).slice(0, 2000);
  let problem: Problem = {};
  try {
    problem = JSON.parse(text) as Problem;
  } catch {
    // a proxy in between has answered: its status says enough
  }
  const { errcode = '', error = '', retry_after_ms } = problem;
  const reason = `the homeserver answered with ${response.status} ${errcode}: ${error.slice(0, 300)}`;
  const isFinal = response.status === 400 || response.status === 403 || response.status === 413;
  return new NetworkError(reason, {
    isFinal,
    ...(retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms }),
  });
}

const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T;

async function whoAmI(call: Call, signal: AbortSignal): Promise<string> {
  const { user_id: id } = await json<{ user_id: string }>(
    call({ method: 'GET', path: `${API}/account/whoami`, signal }),
  );
  return id;
}

type Event = {
  event_id: string;
  sender: string;
  type: string;
  origin_server_ts: number;
  content: {
    msgtype?: string;
    body?: string;
    filename?: string;
    url?: string;
    info?: { size?: number };
    'm.relates_to'?: { rel_type?: string; 'm.in_reply_to'?: { event_id?: string } };
  };
};
type Timeline = { events?: Event[]; limited?: boolean; prev_batch?: string };
type Invite = { invite_state?: { events?: { type: string; content: { is_direct?: boolean } }[] } };
type Synced = {
  next_batch: string;
  rooms?: { join?: Record<string, { timeline?: Timeline }>; invite?: Record<string, Invite> };
};

async function sync(call: Call, take: (incoming: Incoming) => Promise<void>, listening: Listening): Promise<void> {
  const { signal } = listening;
  const me = await whoAmI(call, signal);
  let since = listening.position;
  while (!signal.aborted) {
    const after = since === null ? '' : `&since=${encodeURIComponent(since)}`;
    const path = `${API}/sync?timeout=${since === null ? 0 : SYNC_MS}${after}`;
    const synced = await json<Synced>(call({ method: 'GET', path, signal }));
    listening.ready();
    await acceptInvites(call, synced, signal);
    if (since !== null) await takeBatch(call, { synced, since, me }, take, signal);
    since = synced.next_batch;
  }
}

/** Into a room of two: what is written in larger ones is not heard. */
async function acceptInvites(call: Call, { rooms }: Synced, signal: AbortSignal): Promise<void> {
  for (const [room, { invite_state }] of Object.entries(rooms?.invite ?? {})) {
    if (invite_state?.events?.some(({ content }) => content.is_direct === true) !== true) continue;
    await unlessFinal(call({ method: 'POST', path: `${API}/join/${encodeURIComponent(room)}`, body: {}, signal }));
  }
}

/** What a server refuses for good, such as a room that is gone, must not be asked for again and again: null. */
async function unlessFinal<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NetworkError && error.isFinal) return null;
    throw error;
  }
}

type Batch = { synced: Synced; since: string; me: string };

async function takeBatch(
  call: Call,
  { synced, since, me }: Batch,
  take: (incoming: Incoming) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const found: { room: string; event: Event }[] = [];
  for (const [room, { timeline = {} }] of Object.entries(synced.rooms?.join ?? {})) {
    const missed = timeline.limited === true ? await missedIn(call, room, timeline, since, signal) : [];
    const events = [...missed, ...(timeline.events ?? [])];
    found.push(
      ...events
        .filter(({ sender, type }) => sender !== me && /^m\.room\.(?:message|encrypted)$/.test(type))
        .map((event) => ({ room, event })),
    );
  }
  for (const [at, { room, event }] of found.entries()) {
    const position = at === found.length - 1 ? synced.next_batch : since;
    const members = await unlessFinal(membersOf(call, room, signal));
    const isGroup = members === null || members > 2;
    await take(toIncoming(event, { room, position, isGroup }));
  }
}

/** What the sync left out, the oldest first. */
async function missedIn(
  call: Call,
  room: string,
  { prev_batch }: Timeline,
  since: string,
  signal: AbortSignal,
): Promise<Event[]> {
  const missed: Event[] = [];
  let from = prev_batch;
  while (from !== undefined) {
    const path = `${API}/rooms/${encodeURIComponent(room)}/messages?dir=b&limit=100&from=${encodeURIComponent(from)}&to=${encodeURIComponent(since)}`;
    const page = await json<{ chunk: Event[]; end?: string }>(call({ method: 'GET', path, signal }));
    missed.unshift(...page.chunk.toReversed());
    from = page.chunk.length === 0 || page.end === from ? undefined : page.end;
  }
  return missed;
}

async function membersOf(call: Call, room: string, signal: AbortSignal): Promise<number> {
  const path = `${API}/rooms/${encodeURIComponent(room)}/joined_members`;
  const { joined } = await json<{ joined: Record<string, unknown> }>(call({ method: 'GET', path, signal }));
  return Object.keys(joined).length;
}

function toIncoming(
  { event_id: id, sender, origin_server_ts: at, content, type }: Event,
  { room, position, isGroup }: { room: string; position: string; isGroup: boolean },
): Incoming {
  const { msgtype = '', body = '', url, filename, info } = content;
  const isMedia = url !== undefined && /^m\.(?:file|image|video|audio)$/.test(msgtype);
  const isVoice = msgtype === 'm.audio' && url !== undefined && 'org.matrix.msc3245.voice' in content;
  const file: IncomingFile[] = isMedia ? [{ id: url, name: filename ?? body, bytes: info?.size ?? null }] : [];
  const about = { id, place: id, position, at, order: 0, chat: room, isGroup, person: sender, name: nameOf(sender) };
  return {
    kind: 'text',
    ...about,
    text: isMedia ? (filename !== undefined && filename !== body ? body : '') : body,
    replyTo: content['m.relates_to']?.['m.in_reply_to']?.event_id ?? null,
    isForwarded: false,
    isVoice,
    isUnreadable: type === 'm.room.encrypted',
    files: isVoice ? [] : file,
  };
}

/** `@ann:example.org` is Ann. */
const nameOf = (person: string): string => /^@([^:]+):/.exec(person)?.[1] ?? person;
