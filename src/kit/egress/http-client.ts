/**
 * Owns: asking a machine on the network, and which machine that may be.
 *
 * H1 A name is resolved once, its addresses are checked, and the connection goes to one of those: a second answer of the
 *    name server changes nothing. The name stays in Host and in the TLS handshake.
 * H2 Every redirect is a new request with all the checks, and judged like one; to another origin only harmless headers go along, and never
 *    from https to http.
 * H3 An address means what is written: no host that only becomes another one by being read.
 */
import { lookup as resolveName } from 'node:dns/promises';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Outcome } from '../../core/schema/tool.ts';
import { NO_ANSWER, OWN_ANSWER } from './refusals.ts';
import { isOwnNetwork, isPublic } from '../../core/guard/network-address.ts';
import { failure, Refused } from '../define-tool.ts';

export type NetOptions = {
  /** Which hosts may be asked; all when left out. `hop` says whether the call named it, or only a server. */
  allowHost?: (host: string, to: { port: number; hop: Hop }) => boolean;
  /** Which addresses that are not public may be asked; none when left out. */
  allowPrivate?: (address: string, port: number) => boolean;
  lookup?: (host: string) => Promise<readonly Address[]>;
  /** Machines of the own network that a person has opened to this call; none when left out. */
  isOpened?: (host: string, port: number) => boolean;
  /** Why a redirect may not be followed; null when it may. Left out, where it leads is checked by its host alone. */
  whyNotFollow?: ((address: string) => Promise<string | null>) | undefined;
  /** The proxy to go through, as the environment would name it: it resolves names and checks addresses instead (H1). */
  through?: (host: string, port: number, isOpened: boolean) => Promise<Readonly<Record<string, string>>>;
  /** Longest body that is read. */
  limitBytes?: number;
  /** What happens with a longer one: the call fails, or gets the beginning. */
  overflow?: 'fail' | 'cut';
};
export type Address = { address: string; family: number };
type Hop = 'asked' | 'redirected';
export type Ask = { method: string; headers: Readonly<Record<string, string>>; body?: string | undefined };
export type Trip = NetOptions & {
  signal: AbortSignal;
  redirects: 'followed' | 'given back';
  /** Called when the other side can be sent to: from now on a request may have arrived, whatever happens to its answer. */
  onReached?: () => void;
};
/** `hosts` are all that were asked, in order: more than one after a redirect to another. */
export type Reply = {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  isCut: boolean;
  hosts: readonly string[];
};

const LIMIT_BYTES = 5_242_880;
const MAX_REDIRECTS = 5;
const IN_POLICY = 'A person can add it to the policy.';
const HARMLESS = /^(accept|accept-language|user-agent|range|if-.*)$/;
/** These say where a request goes and how long it is; who sets them can smuggle a second one. */
const FRAMING = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/;

/** Gives the answer, whatever its status; throws what the network throws, and what is refused. */
export async function request(to: string, ask: Ask, trip: Trip): Promise<Reply> {
  return await follow(parseUrl(to), ask, trip);
}

async function follow(url: URL, ask: Ask, trip: Trip, before: readonly URL[] = []): Promise<Reply> {
  const asked = [...before, url];
  const sent = await send(url, ask, trip, asked[0]?.host === url.host ? 'asked' : 'redirected');
  const reply = { ...sent, hosts: [...new Set(asked.map(({ host }) => host))] };
  const location = [301, 302, 303, 307, 308].includes(reply.status) ? reply.headers.location : undefined;
  if (location === undefined || trip.redirects === 'given back') return reply;
  if (before.length === MAX_REDIRECTS)
    throw failure(`more than ${MAX_REDIRECTS} redirects, up to ${shownUrl(url)}`, 'Ask another address.');
  const next = parseUrl(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw new Refused(
      `${shownUrl(url)} leads from https to http`,
      'Ask the address it leads to, if it can be trusted.',
    );
  const why = (await trip.whyNotFollow?.(next.href)) ?? null;
  if (why !== null)
    throw new Refused(`${shownUrl(url)} leads to ${shownUrl(next)}: ${why}`, 'Ask for that address by itself.');
  const headers = next.origin === url.origin ? ask.headers : harmlessHeaders(ask.headers);
  return await follow(next, { ...ask, headers }, trip, asked);
}

async function send(url: URL, ask: Ask, trip: Trip, hop: Hop): Promise<Omit<Reply, 'hosts'>> {
  const headers = requestHeaders(ask);
  const route = await chooseConnection(url, trip, hop);
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = start(url, { method: ask.method, headers, signal: trip.signal, ...route }, resolve);
  if (trip.onReached !== undefined) sent.once('socket', (socket) => whenReached(socket, trip.onReached));
  sent.on('error', (error) => reject(toProxyRefusal(error, url))).end(ask.body);
  const response = await promise;
  const { body, isCut } = await readBody(response, url, trip);
  if (trip.through !== undefined) assertFromServer(response, body, url);
  return { url, status: response.statusCode ?? 0, headers: response.headers, body, isCut };
}

/** A socket that an agent made by way of a proxy is connected already. */
function whenReached(socket: Socket, reached = (): void => undefined): void {
  const isOpen = !socket.connecting && (!(socket instanceof TLSSocket) || socket.authorized);
  if (isOpen) reached();
  else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', reached);
}

/** An agent of its own: a pooled connection may have been made for another check. */
async function chooseConnection(url: URL, trip: Trip, hop: Hop): Promise<Pick<RequestOptions, 'agent' | 'lookup'>> {
  const to = allowedTarget(url, trip, hop);
  if (trip.through === undefined) return { agent: false, lookup: fixedLookup(await findAddresses(to, trip)) };
  const proxyEnv = await trip.through(to.host.replace(/\.$/, ''), to.port, trip.isOpened?.(to.host, to.port) === true);
  return { agent: url.protocol === 'https:' ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv }) };
}

/** What the proxy answers itself is no answer of the server. */
function assertFromServer({ statusCode, headers }: IncomingMessage, body: Buffer, url: URL): void {
  if (headers['proxy-status'] !== OWN_ANSWER['proxy-status']) return;
  const why = body.toString('utf8').trim().slice(0, 500);
  if (statusCode === 403) throw new Refused(`the egress proxy lets nothing through to ${url.host}: ${why}`, IN_POLICY);
  if (statusCode === NO_ANSWER) throw new Error(why);
  throw failure(`the egress proxy could not ask ${url.host}: ${why}`, 'Ask again later, or another address.');
}

function toProxyRefusal(error: Error, url: URL): Error {
  const isRefused = 'statusCode' in error && error.statusCode === 403;
  return isRefused ? new Refused(`the egress proxy lets nothing through to ${url.host}`, IN_POLICY) : error;
}

/** Short enough for an error, whatever a redirect has made of it. */
/** Repeating the request does not help: certificates, and what cannot be sent at all. */
const PERMANENT = /CERT|SELF_SIGNED|UNABLE_TO|^ERR_(TLS|SSL|INVALID|UNESCAPED)/;

/** The outcome of a request that brought no answer. Misuse, and a call that was stopped, are thrown on. */
export function requestFailure(
  error: unknown,
  to: string,
  signals: { call: AbortSignal; timeout: AbortSignal },
): Extract<Outcome, { status: 'failed' }> {
  if (error instanceof OkaError || signals.call.aborted) throw error;
  const what = signals.timeout.aborted ? 'no whole answer in time' : messageOf(error);
  return { status: 'failed', error: `${to.slice(0, 500)}: ${what}`, temporary: !PERMANENT.test(errnoOf(error) ?? '') };
}

export const shownUrl = (url: URL): string => url.href.slice(0, 500);

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw failure(`${text.slice(0, 500)} is not an address`, 'Write it out, beginning with https://.');
  if (!/^https?:$/.test(url.protocol)) throw new Refused(`${url.protocol} is not asked`, 'Use http or https.');
  if (url.username !== '' || url.password !== '')
    throw new Refused('the address has a user or a password in it', 'Name the credential in a header.');
  if (isDisguised(text, url)) throw new Refused(`the address is really ${shownUrl(url)}`, 'Write it as it is.');
  return url;
}

/** Whether reading it has dropped, unescaped or replaced something in the host; other alphabets become xn--… openly. */
function isDisguised(text: string, { hostname }: URL): boolean {
  const hasScheme = /^[\p{Cc}\s]*[a-z][a-z0-9+.-]*:/iu.test(text);
  if (hasScheme && !/^https?:\/\/[^/\\]/i.test(text)) return true;
  const authority = /^(?:[a-z]+:)?[\\/]{2}([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (/[\p{Cc}\s%\\]/u.test(authority)) return true;
  const read = hostname.split('.');
  const replaced = (label: string, index: number): boolean =>
    /[^ -~]/.test(label) && read[index]?.startsWith('xn--') !== true;
  return authority.split('.').some(replaced);
}

type To = { host: string; port: number };

function allowedTarget(url: URL, trip: Trip, hop: Hop): To {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (trip.allowHost?.(host.replace(/\.$/, ''), { port, hop }) === false)
    throw new Refused(`${host} is not among the hosts that may be asked`, IN_POLICY);
  return { host, port };
}

async function findAddresses({ host, port }: To, trip: Trip): Promise<Address[]> {
  const found = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await resolveHost(host, trip);
  const isOpened = trip.isOpened?.(host, port) === true;
  const mayAsk = ({ address }: Address): boolean =>
    isIP(address) > 0 &&
    (isPublic(address) || (isOpened && isOwnNetwork(address)) || trip.allowPrivate?.(address, port) === true);
  const allowed = found.filter(mayAsk);
  if (allowed.length > 0) return allowed;
  const where =
    found
      .slice(0, 5)
      .map(({ address }) => address)
      .join(', ') || 'no address';
  throw new Refused(
    `${host} is at ${where}, which is not public`,
    `A person can open it: { effect: allow, host: '${host}:${port}' } among the rules of .oka/rules/POLICY.md.`,
  );
}

async function resolveHost(host: string, { lookup, signal }: Trip): Promise<readonly Address[]> {
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
function fixedLookup(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, done) => {
    if (all) done(null, [...addresses]);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}

function requestHeaders({ method, headers, body }: Ask): Record<string, string | number> {
  const framing = Object.keys(headers).find((name) => FRAMING.test(name.toLowerCase()));
  if (framing !== undefined) throw new Refused(`the header ${framing} is not set by hand`, 'Leave it out.');
  if (body !== undefined && /^(GET|HEAD)$/.test(method)) throw failure(`${method} has no body`, 'Leave it out.');
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return { 'user-agent': 'oka', 'accept-encoding': 'identity', ...headers, ...length };
}

function harmlessHeaders(headers: Ask['headers']): Ask['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.test(name.toLowerCase())));
}

async function readBody(response: IncomingMessage, url: URL, trip: Trip): Promise<Pick<Reply, 'body' | 'isCut'>> {
  const { limitBytes: limit = LIMIT_BYTES, overflow = 'fail' } = trip;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit && overflow === 'cut')
      return { body: Buffer.concat([...chunks, chunk]).subarray(0, limit), isCut: true };
    if (size > limit)
      throw failure(`${shownUrl(url)} is longer than ${limit} bytes`, 'Ask for less, or for a part of it.');
    chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks), isCut: false };
}
