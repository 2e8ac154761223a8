/**
 * Owns: http.get and http.request.
 *
 * H1 A name is resolved once, its addresses are checked, and the connection goes to one of those: a second answer of the
 *    name server changes nothing. The name stays in Host and in the TLS handshake.
 * H2 Every redirect is a new request with all the checks; to another origin only harmless headers go along.
 * H3 Only http.get follows redirects: what was meant for one place is not sent to another.
 */
import { lookup as resolveName } from 'node:dns/promises';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { z } from 'zod';
import { errnoOf, messageOf, OkaError } from '../../schema/errors.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../schema/tool.ts';
import { isPublic } from './address.ts';
import { isText, tell, toldShape, whole } from './body.ts';
import { failure, ok, refused, toolOf } from './define.ts';

export type HttpOptions = {
  /** Which hosts may be asked; all when left out. */
  allowHost?: (host: string) => boolean;
  /** Which addresses that are not public may be asked; none when left out. */
  allowPrivate?: (address: string, port: number) => boolean;
  lookup?: (host: string) => Promise<readonly Address[]>;
  artifacts?: ArtifactStore;
  /** Longest body that is taken. */
  limitBytes?: number;
  timeoutMs?: number;
};
type Address = { address: string; family: number };
type Ask = { method: string; headers: Readonly<Record<string, string>>; body?: string | undefined };
type Trip = HttpOptions & { signal: AbortSignal; redirects: 'followed' | 'given back' };
type Reply = { url: URL; status: number; headers: IncomingHttpHeaders; body: Buffer };

const LIMIT_BYTES = 5_242_880;
const TIMEOUT_MS = 60_000;
const MOST_REDIRECTS = 5;
const QUOTED = 500;
const TOLD_HEADERS = ['content-type', 'last-modified', 'etag', 'location', 'link', 'retry-after'];
const HARMLESS = /^(accept|accept-language|user-agent|range|if-.*)$/;
/** These say where a request goes and how long it is; who sets them can smuggle a second one. */
const FRAMING = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/;
/** Trying again does not help: certificates, and what cannot be sent at all. */
const PERMANENT = /CERT|SELF_SIGNED|UNABLE_TO|^ERR_(TLS|SSL|INVALID|UNESCAPED)/;

const Url = z.string().min(1).max(8000).describe('An http or https address.');
const Headers = z
  .record(z.string().max(200), z.string().max(8000))
  .default({})
  .describe('Request headers. A credential is named, not written out.');
const Output = z.strictObject({
  status: z.int().describe('HTTP status.'),
  url: z.string().describe('Where the answer came from.'),
  headers: z.record(z.string(), z.string()).describe('The headers that matter.'),
  body: z.string().describe('The text; when long, head and tail.'),
  ...toldShape,
});

export function httpTools(options: HttpOptions): Tool[] {
  return [getTool(options), requestTool(options)];
}

function getTool(options: HttpOptions): Tool {
  return toolOf({
    name: 'http.get',
    about: 'Gets a page or a document from the web, following redirects.',
    input: z.strictObject({ url: Url, headers: Headers }),
    output: Output,
    annotations: { read_only: true, idempotent: true, risk: 'medium' },
    targets: ['url'],
    class: 'read',
    act: ({ url, headers }, call) =>
      exchange(url, { method: 'GET', headers }, { ...options, redirects: 'followed' }, call),
  });
}

/** The class does not depend on the method: there are servers on which a GET deletes. */
function requestTool(options: HttpOptions): Tool {
  return toolOf({
    name: 'http.request',
    about: 'Sends a request to a web service. A redirect is given back, not followed.',
    input: z.strictObject({
      method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']),
      url: Url,
      headers: Headers,
      body: z.string().max(1_000_000).optional().describe('What to send.'),
    }),
    output: Output,
    annotations: { destructive: true, risk: 'high' },
    targets: ['url'],
    class: 'external_mutation',
    act: ({ url, ...ask }, call) => exchange(url, ask, { ...options, redirects: 'given back' }, call),
  });
}

async function exchange(to: string, ask: Ask, options: Omit<Trip, 'signal'>, call: ToolCall): Promise<Outcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  try {
    const trip = { ...options, signal: AbortSignal.any([call.signal, timeout]) };
    return await outcomeOf(await follow(urlOf(to), ask, trip), options.artifacts);
  } catch (error) {
    if (error instanceof OkaError || call.signal.aborted) throw error;
    const what = timeout.aborted ? 'no whole answer in time' : messageOf(error);
    return { status: 'failed', error: `${to}: ${what}`, temporary: !PERMANENT.test(errnoOf(error) ?? '') };
  }
}

async function follow(url: URL, ask: Ask, trip: Trip, hops = 0): Promise<Reply> {
  const reply = await send(url, ask, trip);
  const location = [301, 302, 303, 307, 308].includes(reply.status) ? reply.headers.location : undefined;
  if (location === undefined || trip.redirects === 'given back') return reply;
  if (hops === MOST_REDIRECTS) throw failure(`more than ${hops} redirects, up to ${url.href}`, 'Ask another address.');
  const next = urlOf(location, url);
  const headers = next.origin === url.origin ? ask.headers : harmless(ask.headers);
  return await follow(next, { ...ask, headers }, trip, hops + 1);
}

async function send(url: URL, ask: Ask, trip: Trip): Promise<Reply> {
  const headers = headersOf(ask);
  const lookup = fixed(await addressesOf(url, trip));
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // An agent of its own: a pooled connection may have been made for another check.
  const sent = request(url, { method: ask.method, headers, agent: false, signal: trip.signal, lookup }, resolve);
  sent.on('error', reject).end(ask.body);
  const response = await promise;
  const body = await bodyOf(response, url, trip.limitBytes ?? LIMIT_BYTES);
  return { url, status: response.statusCode ?? 0, headers: response.headers, body };
}

function urlOf(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null) throw failure(`${text} is not an address`, 'Write it out, beginning with https://.');
  if (!/^https?:$/.test(url.protocol)) throw refused(`${url.protocol} is not asked`, 'Use http or https.');
  if (url.username !== '' || url.password !== '')
    throw refused('the address has a user or a password in it', 'Name the credential in a header.');
  return url;
}

async function addressesOf(url: URL, trip: Trip): Promise<Address[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (trip.allowHost?.(host.replace(/\.$/, '')) === false)
    throw refused(`${host} is not among the hosts that may be asked`, 'A person can add it to the policy.');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const found = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await resolved(host, trip);
  const mayAsk = ({ address }: Address): boolean =>
    isIP(address) > 0 && (isPublic(address) || trip.allowPrivate?.(address, port) === true);
  const allowed = found.filter(mayAsk);
  if (allowed.length > 0) return allowed;
  const where = found.map(({ address }) => address).join(', ') || 'no address';
  throw refused(`${host} is at ${where}, which is not public`, 'Only public addresses are asked.');
}

async function resolved(host: string, { lookup, signal }: Trip): Promise<readonly Address[]> {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([lookup?.(host) ?? resolveName(host, { all: true }), stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Answers every question with the addresses that were checked (H1). */
function fixed(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, done) => {
    if (all) done(null, [...addresses]);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}

function headersOf({ method, headers, body }: Ask): Record<string, string | number> {
  const framing = Object.keys(headers).find((name) => FRAMING.test(name.toLowerCase()));
  if (framing !== undefined) throw refused(`the header ${framing} is not set by hand`, 'Leave it out.');
  if (body !== undefined && /^(GET|HEAD)$/.test(method)) throw failure(`${method} has no body`, 'Leave it out.');
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return { 'user-agent': 'oka', 'accept-encoding': 'identity', ...headers, ...length };
}

function harmless(headers: Ask['headers']): Ask['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.test(name.toLowerCase())));
}

async function bodyOf(response: IncomingMessage, url: URL, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw failure(`${url.href} is longer than ${limit} bytes`, 'Ask for less, or for a part of it.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function outcomeOf({ url, status, headers, body }: Reply, artifacts?: ArtifactStore): Promise<Outcome> {
  if (status >= 400) {
    const words = isText(body) ? body.toString().slice(0, QUOTED).trim() : `${body.length} bytes that are not text`;
    const temporary = status >= 500 || status === 429;
    return { status: 'failed', error: `${url.href} answered ${status}: ${words}`, temporary };
  }
  const media = headers['content-type']?.slice(0, 200);
  const told = await tell(whole(body), { artifacts, ...(media === undefined ? {} : { media }) });
  const { text, ...rest } = told;
  const shown = Object.entries(headers).filter(
    ([name, value]) => TOLD_HEADERS.includes(name) && typeof value === 'string',
  );
  const output = { status, url: url.href, headers: Object.fromEntries(shown), body: text, ...rest };
  return { ...ok(output, told), usage: { output_bytes: body.length } };
}
