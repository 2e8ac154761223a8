/**
 * Owns: a connection of RFC 6455 for texts, as far as Slack uses it, through the egress proxy where there is one.
 *
 * S1 A message has at most a mebibyte; a server that says nothing for two minutes, although it asks every few seconds
 *    whether somebody is there, is gone.
 */
import { hash, randomBytes } from 'node:crypto';
import { type IncomingMessage, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';

const MOST_BYTES = 1024 * 1024;
const SILENCE_MS = 120_000;
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

export type TextSocket = {
  send(text: string): void;
  /** The next text; null when the connection is over. */
  next(): Promise<string | null>;
  close(): void;
};

export async function openTextSocket(url: URL, proxy: string | null, signal: AbortSignal): Promise<TextSocket> {
  const isSecure = url.protocol === 'wss:';
  const key = randomBytes(16).toString('base64');
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
  };
  const through = proxy === null ? {} : { proxyEnv: { https_proxy: proxy, http_proxy: proxy } };
  const plain = new URL(url.href.replace(/^ws/, 'http'));
  const options = { headers, signal, agent: isSecure ? new HttpsAgent(through) : new HttpAgent(through) };
  const opened = Promise.withResolvers<{ answer: IncomingMessage; socket: Duplex; head: Buffer }>();
  const asked = isSecure ? httpsRequest(plain, options) : httpRequest(plain, options);
  asked.on('upgrade', (answer, socket, head) => opened.resolve({ answer, socket, head }));
  asked.on('response', ({ statusCode }) => {
    asked.destroy();
    opened.reject(new Error(`${url.host} opens no connection: ${statusCode}`));
  });
  asked.on('error', opened.reject);
  asked.end();
  const { answer, socket, head } = await opened.promise;
  const accepted = hash('sha1', `${key}${GUID}`, 'base64');
  if (answer.headers['sec-websocket-accept'] !== accepted) {
    socket.destroy();
    throw new Error(`${url.host} does not speak the protocol of web sockets`);
  }
  return textsOf(socket, head, signal);
}

function textsOf(socket: Duplex, head: Buffer, signal: AbortSignal): TextSocket {
  const texts: string[] = [];
  let news = Promise.withResolvers<void>();
  const ended = new AbortController();
  const over = (): void => {
    ended.abort();
    clearTimeout(silence);
    socket.destroy();
    news.resolve();
  };
  let silence = setTimeout(over, SILENCE_MS);
  const read = frameReader((kind, content) => {
    if (kind === PING) socket.write(frame(PONG, content));
    else if (kind === CLOSE) over();
    else if (kind === TEXT) texts.push(content.toString());
    news.resolve();
  });
  const take = (bytes: Buffer): void => {
    clearTimeout(silence);
    if (ended.signal.aborted) return;
    silence = setTimeout(over, SILENCE_MS);
    if (!read(bytes)) over();
  };
  socket.on('data', take).on('close', over).on('error', over);
  signal.addEventListener('abort', over, { once: true });
  if (head.length > 0) take(head);
  if (signal.aborted) over();
  return {
    send: (text) => void (ended.signal.aborted || socket.write(frame(TEXT, Buffer.from(text)))),
    next: async () => {
      while (texts.length === 0 && !ended.signal.aborted) {
        await news.promise;
        news = Promise.withResolvers();
      }
      return ended.signal.aborted ? null : (texts.shift() ?? null);
    },
    close: () => {
      if (!ended.signal.aborted) socket.write(frame(CLOSE, Buffer.alloc(0)));
      over();
    },
  };
}

/** What a client sends is masked. */
function frame(kind: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : null;
  if (size === null) throw new Error('that is too long for one message');
  const mask = randomBytes(4);
  const masked = content.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | kind, 0x80 | (size[0] ?? 0), ...size.slice(1)]), mask, masked]);
}

/** Messages in pieces of any size; false: it is none of this protocol, or too large (S1). */
function frameReader(on: (kind: number, content: Buffer) => void): (bytes: Buffer) => boolean {
  let rest = Buffer.alloc(0);
  let kind = 0;
  let parts: Buffer[] = [];
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const [first, second] = rest;
      if (first === undefined || second === undefined) return true;
      const short = second & 127;
      const at = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (rest.length < at) return true;
      const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
      const size = parts.reduce((sum, each) => sum + each.length, length);
      if (size > MOST_BYTES || (second & 128) !== 0) return false;
      if (rest.length < at + length) return true;
      const content = rest.subarray(at, at + length);
      const code = first & 15;
      rest = rest.subarray(at + length);
      if (code >= CLOSE) {
        on(code, content);
        continue;
      }
      if (code !== 0) kind = code;
      parts.push(content);
      if ((first & 128) === 0) continue;
      on(kind, Buffer.concat(parts));
      parts = [];
    }
  };
}
