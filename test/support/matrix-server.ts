/**
 * A homeserver with the client-server API of Matrix as far as a messenger uses it, and strict about it: tokens of syncs,
 * gaps, ids of transactions that are known, limits, and 429 with the time to wait.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const MATRIX_TOKEN = 'syt_token_of_the_account';
export const ME = '@oka:home.test';
export const ANN = '@ann:home.test';

type Content = Record<string, unknown>;
export type RoomEvent = {
  event_id: string;
  sender: string;
  type: string;
  origin_server_ts: number;
  content: Content;
  at: number;
};

export type MatrixServer = AsyncDisposable & {
  url: string;
  host: string;
  invite: (room: string, isDirect: boolean, members?: string[]) => void;
  members: (room: string) => string[];
  write: (room: string, sender: string, content: Content | string, type?: string) => string;
  upload: (content: string) => string;
  /** What oka wrote in a room, edits applied, the oldest first. */
  shown: (room: string) => Content[];
  sent: (room: string) => RoomEvent[];
  /** The next requests that send are answered so. */
  fail: (status: number, times: number, body: Content) => void;
  /** The next sync gives this many events of a room at most, and says so. */
  limitNext: (most: number) => void;
  /** The next answers to something that was sent are lost: it was done, and the connection breaks. */
  loseNext: (times: number) => void;
};

type Room = { events: RoomEvent[]; members: string[]; invited: boolean; isDirect: boolean; since: number };
type Reply = { status: number; body: Content | Buffer };

class Homeserver {
  readonly rooms = new Map<string, Room>();
  readonly media = new Map<string, Buffer>();
  readonly failures: Reply[] = [];
  lost = 0;
  limit = Infinity;
  #position = 0;
  #transactions = new Map<string, string>();
  #waiting = new Set<() => void>();

  next = (): number => (this.#position += 1);

  wake(): void {
    for (const each of this.#waiting) each();
    this.#waiting.clear();
  }

  add(room: string, sender: string, type: string, content: Content): string {
    const at = this.next();
    const event_id = `$event-${at}`;
    this.rooms.get(room)?.events.push({ event_id, sender, type, origin_server_ts: Date.now(), content, at });
    this.wake();
    return event_id;
  }

  send(room: string, type: string, transaction: string, content: Content): Reply {
    const known = this.#transactions.get(`${room} ${transaction}`);
    if (known !== undefined) return { status: 200, body: { event_id: known } };
    if (this.rooms.get(room)?.members.includes(ME) !== true) return no(403, 'M_FORBIDDEN', 'not in this room');
    if (typeof content['body'] !== 'string' || typeof content['msgtype'] !== 'string')
      return no(400, 'M_BAD_JSON', 'no body');
    if (JSON.stringify(content).length > 65_000) return no(413, 'M_TOO_LARGE', 'the event is too large');
    const event_id = this.add(room, ME, type, content);
    this.#transactions.set(`${room} ${transaction}`, event_id);
    return { status: 200, body: { event_id } };
  }

  async sync(since: number | null, timeout: number): Promise<Reply> {
    const isNews = (): boolean =>
      [...this.rooms.values()].some(
        ({ events, since: from, invited }) =>
          (events.at(-1)?.at ?? 0) > (since ?? 0) || (invited && from > (since ?? 0)),
      );
    if (since !== null && !isNews()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        setTimeout(resolve, Math.min(timeout, 1000)).unref();
      });
    }
    const join: Content = {};
    const invite: Content = {};
    for (const [id, room] of this.rooms) {
      if (room.invited) {
        invite[id] = {
          invite_state: { events: [{ type: 'm.room.member', content: room.isDirect ? { is_direct: true } : {} }] },
        };
        continue;
      }
      const all = room.events.filter(({ at }) => at > (since ?? 0));
      const events = since === null ? all.slice(-10) : all.slice(-this.limit);
      if (all.length === 0) continue;
      const isLimited = events.length < all.length;
      join[id] = { timeline: { events, limited: isLimited, prev_batch: `b${events[0]?.at ?? 0}` } };
      if (isLimited) this.limit = Infinity;
    }
    return { status: 200, body: { next_batch: `s${this.#position}`, rooms: { join, invite } } };
  }

  /** Backwards from a token, two events a page. */
  messages(room: string, from: number, to: number): Reply {
    const before = (this.rooms.get(room)?.events ?? []).filter(({ at }) => at < from && at > to);
    const chunk = before.slice(-2).toReversed();
    return { status: 200, body: { chunk, ...(chunk.length < 2 ? {} : { end: `b${chunk.at(-1)?.at ?? 0}` }) } };
  }
}

const no = (status: number, errcode: string, error: string): Reply => ({ status, body: { errcode, error } });
const numberIn = (token: string | null): number | null => (token === null ? null : Number(token.slice(1)));

async function route(server: Homeserver, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (request.headers.authorization !== `Bearer ${MATRIX_TOKEN}`) return no(401, 'M_UNKNOWN_TOKEN', 'unknown token');
  const parts = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const ask = url.searchParams;
  const [, , version, kind = '', room = '', act = ''] = parts;
  if (version === 'v1' && kind === 'media') {
    const found = server.media.get(parts[6] ?? '');
    return found === undefined ? no(404, 'M_NOT_FOUND', 'no such media') : { status: 200, body: found };
  }
  if (kind === 'upload') {
    const id = `media${server.next()}`;
    server.media.set(id, bytes);
    return { status: 200, body: { content_uri: `mxc://home.test/${id}` } };
  }
  if (kind === 'account') return { status: 200, body: { user_id: ME } };
  if (kind === 'sync') return server.sync(numberIn(ask.get('since')), Number(ask.get('timeout') ?? 0));
  const known = server.rooms.get(room);
  if (known === undefined) return no(404, 'M_NOT_FOUND', 'no such room');
  if (kind === 'join') {
    if (room.startsWith('!gone')) return no(403, 'M_FORBIDDEN', 'the invitation was withdrawn');
    Object.assign(known, { invited: false, members: [...known.members, ME] });
    return { status: 200, body: { room_id: room } };
  }
  if (act === 'joined_members')
    return { status: 200, body: { joined: Object.fromEntries(known.members.map((each) => [each, {}])) } };
  if (act === 'messages') return server.messages(room, numberIn(ask.get('from')) ?? 0, numberIn(ask.get('to')) ?? 0);
  if (act === 'typing') return { status: 200, body: {} };
  if (act !== 'send') return no(404, 'M_UNRECOGNIZED', 'unrecognised request');
  const failure = server.failures.shift();
  return failure ?? server.send(room, parts[6] ?? '', parts[7] ?? '', JSON.parse(bytes.toString()) as Content);
}

export async function openMatrixServer(): Promise<MatrixServer> {
  const server = new Homeserver();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await route(server, request);
    if (server.lost > 0 && request.url?.includes('/send/') === true) {
      server.lost -= 1;
      response.destroy();
      return;
    }
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  };
  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const sent: MatrixServer['sent'] = (room) =>
    server.rooms.get(room)?.events.filter(({ sender }) => sender === ME) ?? [];
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    invite: (room, isDirect, members = [ANN]) => {
      server.rooms.set(room, { events: [], members, invited: true, isDirect, since: server.next() });
      server.wake();
    },
    members: (room) => server.rooms.get(room)?.members ?? [],
    write: (room, sender, content, type = 'm.room.message') =>
      server.add(room, sender, type, typeof content === 'string' ? { msgtype: 'm.text', body: content } : content),
    upload: (content) => {
      const id = `media${server.next()}`;
      server.media.set(id, Buffer.from(content));
      return `mxc://home.test/${id}`;
    },
    sent,
    shown: (room) => {
      const shown = new Map<string, Content>();
      for (const { event_id, content } of sent(room)) {
        const relation = content['m.relates_to'] as { rel_type?: string; event_id?: string } | undefined;
        if (relation?.rel_type === 'm.replace') shown.set(relation.event_id ?? '', content['m.new_content'] as Content);
        else shown.set(event_id, { ...content, event_id });
      }
      return [...shown.values()];
    },
    fail: (status, times, body) => server.failures.push(...Array.from({ length: times }, () => ({ status, body }))),
    limitNext: (most) => (server.limit = most),
    loseNext: (times) => (server.lost = times),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
