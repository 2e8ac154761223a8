/** Owns: fetch through a proxy, with a ticket for each request. A redirect is given back, not followed. */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** Says through which proxy, as the environment would; null: straight. */
type Through = (url: URL) => Promise<Readonly<Record<string, string>> | null>;

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

export function fetchThrough(through: Through): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const proxyEnv = await through(new URL(request.url));
    return proxyEnv === null ? globalThis.fetch(request) : toResponse(await send(request, proxyEnv));
  };
}

async function send(request: Request, proxyEnv: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const { method, url, headers, signal } = request;
  const body = Buffer.from(await request.arrayBuffer());
  const secure = url.startsWith('https:');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = {
    method,
    signal,
    headers: {
      ...Object.fromEntries(headers),
      'accept-encoding': 'identity',
      ...(body.length === 0 ? {} : { 'content-length': String(body.length) }),
    },
  };
  const sent = secure
    ? httpsRequest(url, { ...options, agent: new HttpsAgent({ proxyEnv }) }, resolve)
    : httpRequest(url, { ...options, agent: new HttpAgent({ proxyEnv }) }, resolve);
  sent.on('error', reject).end(body);
  return promise;
}

export function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 500, statusMessage: statusText = '' } = message;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const isEmpty = WITHOUT_BODY.has(status);
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText, headers });
}
