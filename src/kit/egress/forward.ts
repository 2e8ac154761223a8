/**
 * Owns: passing on a plain http request and its answer.
 *
 * F1 Every request has a connection of its own to the other side: nothing that is left over can become another request.
 * F2 Host, framing and credentials are ours to set; what the client says of them does not go on (headers.ts).
 */
import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { type Fetch, relayFetched } from './fetched-answer.ts';
import { readFraming, forwardedHeaders } from './headers.ts';
import type { Gate } from './claim-gate.ts';
import { meter } from './meter.ts';
import type { Limits } from './limits.ts';
import type { Target } from './proxy-target.ts';
import { fetchHeaders } from './registry-request.ts';

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  target: Target & { path: string; isSecure?: boolean };
  /** Headers that replace those of the client. */
  added?: Readonly<Record<string, string>>;
  /** Set if the request only fetches a package: nothing of it goes on but its path and the kind of answer. */
  fetch?: Fetch | null;
  /** Marks a request that has no such key of its own. */
  idempotencyKey?: string | undefined;
  /** What has to be open before anything is sent. */
  gate?: Gate | undefined;
};

const MARK = 'idempotency-key';

/** Why a request is not passed on whoever asks, or null. */
export function findObjection({ method, rawHeaders, httpVersion }: IncomingMessage): string | null {
  if (method === 'TRACE' || method === 'CONNECT') return `${method} is not passed on`;
  const framing = readFraming(rawHeaders, httpVersion);
  return 'problem' in framing ? `the request has ${framing.problem}` : null;
}

/** Throws what the other side does wrong. Owns the socket. */
export async function forward(
  { request, response, target, added = {}, fetch = null, gate, idempotencyKey }: Exchange,
  upstream: Socket,
  limits: Limits,
): Promise<void> {
  const sent = httpRequest({
    method: request.method ?? 'GET',
    path: target.path,
    headers:
      fetch === null
        ? upstreamHeaders(request, target, { ...markFor(request, idempotencyKey), ...added })
        : { ...hostHeaders(target), ...fetchHeaders(request) },
    createConnection: () => upstream,
    setHost: false,
    maxHeaderSize: limits.headerBytes,
  });
  upstream.setTimeout(limits.idleMs, () => upstream.destroy(new Error('no answer in time')));
  response.once('close', () => sent.destroy());
  try {
    const answered = sendUpstream(sent);
    // What goes wrong with the body breaks the request off, and so the answer; an early answer is given back all the same.
    pipeline(request, meter(limits.upBytes, gate), sent).catch((error: Error) => sent.destroy(error));
    await (fetch === null
      ? relayResponse(await answered, response, limits)
      : relayFetched(await answered, response, limits, fetch));
  } finally {
    upstream.destroy();
  }
}

function sendUpstream(sent: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve).on('error', reject);
  sent.once('close', () => reject(new Error('it hung up')));
  sent.once('upgrade', (_answer, socket) => {
    socket.destroy();
    reject(new Error('it switched to another protocol, which nobody had asked for'));
  });
  return promise;
}

function markFor({ headers }: IncomingMessage, key: string | undefined): Record<string, string> {
  return key === undefined || headers[MARK] !== undefined ? {} : { [MARK]: key };
}

function upstreamHeaders(
  request: IncomingMessage,
  target: Exchange['target'],
  added: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const framing = readFraming(request.rawHeaders, request.httpVersion);
  return {
    ...forwardedHeaders(request.rawHeaders, ['host', 'connection', 'content-length', ...Object.keys(added)]),
    ...hostHeaders(target),
    ...added,
    ...('length' in framing ? { 'content-length': framing.length } : {}),
    ...('chunked' in framing ? { 'transfer-encoding': 'chunked' } : {}),
  };
}

function hostHeaders({ host, port, isSecure = false }: Exchange['target']): Record<string, string> {
  const name = host.includes(':') ? `[${host}]` : host;
  return { host: port === (isSecure ? 443 : 80) ? name : `${name}:${port}`, connection: 'close' };
}

async function relayResponse(answer: IncomingMessage, response: ServerResponse, limits: Limits): Promise<void> {
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, forwardedHeaders(answer.rawHeaders));
  await pipeline(answer, meter(limits.downBytes), response);
}
