/**
 * A server of Slack as far as a messenger uses it, as strict as its documentation: Socket Mode with envelopes that come
 * again until they are acknowledged, limits of texts and blocks, a history, files in three steps, 429 with the time to wait.
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export const BOT_TOKEN = 'xoxb-test-token-of-the-bot';
export const APP_TOKEN = 'xapp-test-token-of-the-app';
const ME = 'U0OKA';

type Button = { text: { text: string }; value: string; action_id: string };
type Block = { type: string; text?: { type: string; text: string }; elements?: Button[] };
export type SlackMessage = {
  ts: string;
  user: string;
  channel: string;
  text: string;
  blocks?: Block[];
  metadata?: unknown;
  files?: { name: string; content: string }[];
  edits: number;
};
type Ask = Record<string, string>;
type Said = Record<string, unknown>;

export type SlackServer = AsyncDisposable & {
  url: string;
  host: string;
  /** What oka wrote in a channel. */
  shown: (channel: string) => SlackMessage[];
  ephemeral: string[];
  write: (user: string, channel: string, text: string, more?: Said) => SlackMessage;
  writeFile: (user: string, channel: string, name: string, content: string, text: string) => void;
  press: (user: string, message: SlackMessage, label: string, times?: number) => void;
  /** Sockets are closed, as Slack does from time to time. */
  disconnect: () => void;
  /** The last events come again under the same envelope. */
  repeat: (count: number) => void;
  fail: (status: number, times: number) => void;
  loseNext: (times: number) => void;
  /** Envelopes that were not acknowledged. */
  open: () => number;
};

class Workspace {
  readonly messages: SlackMessage[] = [];
  readonly uploads = new Map<string, { name: string; content: string }>();
  readonly files = new Map<string, string>();
  readonly ephemeral: string[] = [];
  readonly envelopes = new Map<string, string>();
  readonly past: string[] = [];
  readonly sockets = new Set<Duplex>();
  failures: number[] = [];
  lost = 0;
  url = '';
  #count = 0;

  next = (): number => (this.#count += 1);
  ts = (): string => `${Math.floor(Date.now() / 1000)}.${String(this.next()).padStart(6, '0')}`;

  send(payload: Said, type: string): void {
    const envelope_id = `e-${this.next()}`;
    const text = JSON.stringify({ envelope_id, type, payload, accepts_response_payload: false });
    this.envelopes.set(envelope_id, text);
    this.past.push(text);
    for (const socket of this.sockets) socket.write(frame(text));
  }

  call(method: string, ask: Ask): Said {
    const channel = ask['channel'] ?? '';
    switch (method) {
      case 'auth.test':
        return { ok: true, user_id: ME };
      case 'apps.connections.open':
        return { ok: true, url: `${this.url.replace('http', 'ws')}/socket?ticket=${this.next()}` };
      case 'users.info':
        return { ok: true, user: { id: ask['user'], real_name: ask['user']?.replace(/^U0/, '') } };
      case 'users.conversations':
        return { ok: true, channels: [...new Set(this.messages.map((each) => each.channel))].map((id) => ({ id })) };
      case 'conversations.history':
        return this.#history(channel, ask);
      case 'chat.postMessage':
        return this.#post(channel, ask);
      case 'chat.update':
        return this.#update(channel, ask);
      case 'chat.postEphemeral':
        this.ephemeral.push(ask['text'] ?? '');
        return { ok: true };
      case 'files.getUploadURLExternal': {
        const id = `F${this.next()}`;
        this.uploads.set(id, { name: ask['filename'] ?? '', content: '' });
        return { ok: true, upload_url: `${this.url}/upload/${id}`, file_id: id };
      }
      case 'files.completeUploadExternal': {
        const files = (JSON.parse(ask['files'] ?? '[]') as { id: string }[]).flatMap(
          ({ id }) => this.uploads.get(id) ?? [],
        );
        if (files.length === 0) return { ok: false, error: 'file_not_found' };
        const text = ask['initial_comment'] ?? '';
        this.messages.push({ ts: this.ts(), user: ME, channel: ask['channel_id'] ?? '', text, files, edits: 0 });
        return { ok: true };
      }
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }

  #history(channel: string, ask: Ask): Said {
    const { oldest = '0', latest = '9999999999' } = ask;
    const withAll = ask['include_all_metadata'] === 'true';
    const isWithin = ({ ts }: SlackMessage): boolean => Number(ts) > Number(oldest) && Number(ts) <= Number(latest);
    const found = this.messages.filter((each) => each.channel === channel && isWithin(each)).toReversed();
    const from = Number(ask['cursor'] ?? 0);
    const page = found.slice(from, from + Math.min(Number(ask['limit'] ?? 100), 3));
    const messages = page.map(({ metadata, ...rest }) => ({ ...rest, ...(withAll ? { metadata } : {}) }));
    const end = from + page.length;
    const all = ask['limit'] === '1' ? found.length : end;
    return { ok: true, messages, has_more: all < found.length, response_metadata: { next_cursor: String(end) } };
  }

  #post(channel: string, ask: Ask): Said {
    const read = readContent(ask);
    if (typeof read === 'string') return { ok: false, error: read };
    const metadata = ask['metadata'] === undefined ? {} : { metadata: JSON.parse(ask['metadata']) as unknown };
    const message = { ts: this.ts(), user: ME, channel, ...read, ...metadata, edits: 0 };
    this.messages.push(message);
    return { ok: true, ts: message.ts, channel };
  }

  #update(channel: string, ask: Ask): Said {
    const found = this.messages.find((each) => each.ts === ask['ts'] && each.channel === channel);
    if (found === undefined) return { ok: false, error: 'message_not_found' };
    if (found.user !== ME) return { ok: false, error: 'cant_update_message' };
    const read = readContent(ask);
    if (typeof read === 'string') return { ok: false, error: read };
    Object.assign(found, read, { edits: found.edits + 1 });
    return { ok: true, ts: found.ts, channel };
  }
}

/** The content, or the error that Slack names. */
function readContent({ text = '', blocks: given = '[]' }: Ask): Pick<SlackMessage, 'text' | 'blocks'> | string {
  const blocks = JSON.parse(given) as Block[];
  if (text === '' && blocks.length === 0) return 'no_text';
  if (text.length > 40_000) return 'msg_too_long';
  for (const { type, text: inner, elements = [] } of blocks) {
    if (type === 'section' && (inner === undefined || inner.text.length > 3000 || inner.text === ''))
      return 'invalid_blocks';
    if (elements.length > 25 || new Set(elements.map((each) => each.action_id)).size < elements.length)
      return 'invalid_blocks';
    if (elements.some((each) => each.text.text.length > 75 || each.value.length > 2000)) return 'invalid_blocks';
  }
  return { text, blocks };
}

function frame(text: string): Buffer {
  const content = Buffer.from(text);
  const { length } = content;
  const size = length < 126 ? Buffer.from([length]) : Buffer.from([126, length >> 8, length & 255]);
  return Buffer.concat([Buffer.from([0x81]), size, content]);
}

/** Texts of a client, which have to be masked; short ones only. */
function texts(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at + 6 <= bytes.length; ) {
    const length = (bytes[at + 1] ?? 0) & 127;
    if (((bytes[at + 1] ?? 0) & 128) === 0) throw new Error('a client masks what it sends');
    const mask = bytes.subarray(at + 2, at + 6);
    const content = bytes.subarray(at + 6, at + 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    if (((bytes[at] ?? 0) & 15) === 1) found.push(content.toString());
    at += 6 + length;
  }
  return found;
}

function accept(space: Workspace, request: IncomingMessage, socket: Duplex): void {
  const key = hash('sha1', `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
  );
  socket.write(frame(JSON.stringify({ type: 'hello', num_connections: 1 })));
  for (const text of space.envelopes.values()) socket.write(frame(text));
  space.sockets.add(socket);
  socket.on('close', () => space.sockets.delete(socket)).on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    for (const text of texts(bytes)) space.envelopes.delete((JSON.parse(text) as { envelope_id: string }).envelope_id);
  });
}

async function answer(space: Workspace, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const say = (status: number, said: Said | string): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...(status === 429 ? { 'retry-after': '1' } : {}) })
      .end(typeof said === 'string' ? said : JSON.stringify(said));
  const upload = /^\/upload\/(\w+)$/.exec(path)?.[1];
  if (upload !== undefined) {
    const found = space.uploads.get(upload);
    if (found !== undefined) found.content = body;
    return say(found === undefined ? 404 : 200, 'OK');
  }
  const { authorization } = request.headers;
  const file = /^\/files\/(\w+)$/.exec(path)?.[1];
  if (file !== undefined) return say(authorization === `Bearer ${BOT_TOKEN}` ? 200 : 302, space.files.get(file) ?? '');
  const method = /^\/api\/([\w.]+)$/.exec(path)?.[1] ?? '';
  const token = method === 'apps.connections.open' ? APP_TOKEN : BOT_TOKEN;
  if (authorization !== `Bearer ${token}`) return say(200, { ok: false, error: 'invalid_auth' });
  const failure = method.startsWith('chat.') ? space.failures.shift() : undefined;
  if (failure !== undefined) return say(failure, failure === 429 ? '' : { ok: false, error: 'fatal_error' });
  const said = space.call(method, Object.fromEntries(new URLSearchParams(body)));
  if (method === 'chat.postMessage' && space.lost > 0) {
    space.lost -= 1;
    response.destroy();
    return;
  }
  return say(200, said);
}

export async function openSlackServer(): Promise<SlackServer> {
  const space = new Workspace();
  const server = createServer(
    (request, response) => void answer(space, request, response).catch(() => response.destroy()),
  );
  server.on('upgrade', (request, socket) => accept(space, request, socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  space.url = `http://127.0.0.1:${port}`;
  const write: SlackServer['write'] = (user, channel, text, more = {}) => {
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const message = { ts: space.ts(), user, channel, text: escaped, edits: 0, ...more };
    space.messages.push(message);
    const event = { type: 'message', channel_type: channel.startsWith('D') ? 'im' : 'channel', ...message };
    space.send({ event_id: `Ev${space.next()}`, event }, 'events_api');
    return message;
  };
  return {
    url: space.url,
    host: `127.0.0.1:${port}`,
    shown: (channel) => space.messages.filter((each) => each.channel === channel && each.user === ME),
    ephemeral: space.ephemeral,
    write,
    writeFile: (user, channel, name, content, text) => {
      const id = `F${space.next()}`;
      space.files.set(id, content);
      const files = [{ name, size: content.length, url_private_download: `${space.url}/files/${id}` }];
      write(user, channel, text, { subtype: 'file_share', files });
    },
    press: (user, message, label, times = 1) => {
      const buttons = message.blocks?.flatMap(({ elements = [] }) => elements) ?? [];
      const button = buttons.find(({ text }) => text.text === label);
      if (button === undefined) throw new Error(`there is no button ${label}`);
      const { ts, channel } = message;
      const pressed = [{ action_id: button.action_id, value: button.value, action_ts: space.ts() }];
      const payload = {
        type: 'block_actions',
        user: { id: user },
        channel: { id: channel },
        message: { ts },
        actions: pressed,
      };
      for (let time = 0; time < times; time += 1) space.send(payload, 'interactive');
    },
    disconnect: () => {
      for (const socket of space.sockets)
        socket.write(frame(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' })));
    },
    repeat: (count) => {
      for (const text of space.past.slice(-count)) for (const socket of space.sockets) socket.write(frame(text));
    },
    fail: (status, times) => space.failures.push(...Array.from({ length: times }, () => status)),
    loseNext: (times) => (space.lost = times),
    open: () => space.envelopes.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of space.sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
