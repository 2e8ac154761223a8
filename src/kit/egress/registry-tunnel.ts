/**
 * Owns: tunnels whose requests the proxy reads: those to package registries of steps that only fetch, and those to hosts
 * for which it adds a header with a secret. It ends the encrypted connection itself, with a certificate of its own authority.
 *
 * U1 Each request that is passed on has an encrypted connection of its own, and the server's certificate is verified.
 * U2 In a step that only fetches, what is not a request to fetch never leaves the proxy (registry-request.ts).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, getCACertificates, type SecureContext, TLSSocket } from 'node:tls';
import type { Registry } from '../../core/guard/egress-rule.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import type { Authority } from './certificates.ts';
import { findObjection, forward } from './forward.ts';
import type { Limits } from './limits.ts';
import type { Gate } from './claim-gate.ts';
import type { PackageScope } from './package-scope.ts';
import type { Target } from './proxy-target.ts';
import { NO_ANSWER, OWN_ANSWER } from './refusals.ts';
import { registryObjection } from './registry-request.ts';

export type RegistryTunnel = {
  target: Target;
  /** A new connection to the registry, decided on as the first one was. */
  connect: () => Promise<{ socket: Socket } | { status: string; reason: string }>;
  refused: (reason: string) => void;
  /** Set if requests may only fetch packages (registry-request.ts). */
  fetching: { registry: Registry; scope: PackageScope } | null;
  /** Headers that the proxy adds to each request (added-headers.ts). */
  added: Readonly<Record<string, string>>;
  lifeMs: number;
  /** What has to be open before anything is sent. */
  gate: Gate | undefined;
  idempotencyKey: string | undefined;
};

type RegistryReaderOptions = {
  authority: Authority;
  limits: Limits;
  clock: () => number;
  /** Authorities of registries, as PEM; those of the machine when left out. */
  trusted?: readonly string[] | undefined;
  /** Those that packages are trusted by in addition. */
  packageAuthorities?: (() => readonly string[]) | undefined;
};

/** Takes over a client that was told that its tunnel is open. */
export type ReadRegistryTunnel = (client: Socket, tunnel: RegistryTunnel) => void;

const DAY_MS = 86_400_000;

export function createRegistryReader(options: RegistryReaderOptions): ReadRegistryTunnel {
  const { limits } = options;
  const tunnels = new WeakMap<Socket, RegistryTunnel>();
  const contextFor = createContexts(options);
  const server = createServer({ maxHeaderSize: limits.headerBytes, requireHostHeader: false });
  server.on('request', (request, response) => {
    const tunnel = tunnels.get(request.socket);
    if (tunnel === undefined) return void response.destroy();
    response.on('error', () => response.destroy());
    exchange(request, response, tunnel, options).catch(() => response.destroy()); // nothing can be answered any more
  });
  server.on('clientError', (_, socket) => socket.destroy());
  return (client, tunnel) => {
    const secured = new TLSSocket(client, {
      isServer: true,
      secureContext: contextFor(tunnel.target.host),
      ALPNProtocols: ['http/1.1'],
    });
    const life = setTimeout(() => client.destroy(), tunnel.lifeMs);
    client.once('close', () => clearTimeout(life));
    secured.on('error', () => client.destroy());
    secured.setMaxListeners(30).setTimeout(limits.idleMs, () => client.destroy());
    tunnels.set(secured, tunnel);
    server.emit('connection', secured);
  };
}

/** A certificate is made once a day for each host. */
function createContexts({ authority, clock }: RegistryReaderOptions): (host: string) => SecureContext {
  const known = new Map<string, { context: SecureContext; until: number }>();
  return (host) => {
    const now = clock();
    const before = known.get(host);
    if (before !== undefined && before.until > now) return before.context;
    const context = createSecureContext(authority.issue(host, now));
    known.set(host, { context, until: now + DAY_MS });
    return context;
  };
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { target, connect: open, refused, fetching, added, gate, idempotencyKey }: RegistryTunnel,
  { limits, trusted = machineAuthorities(), packageAuthorities = () => [] }: RegistryReaderOptions,
): Promise<void> {
  const refuse = (status: number, reason: string): void => {
    const headers = { ...OWN_ANSWER, 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
    response.writeHead(status, headers).end(`${reason}\n`);
  };
  const path = pathOf(request.url ?? '');
  const problem = findObjection(request) ?? (path === null ? 'that is not a path' : null);
  if (problem !== null || path === null) return refuse(400, problem ?? '');
  const misuse = fetching === null ? null : registryObjection(request, path, fetching.registry, fetching.scope);
  if (misuse !== null) {
    refused(misuse);
    return refuse(403, misuse);
  }
  const found = await open();
  if ('reason' in found) return refuse(Number(found.status.slice(0, 3)), found.reason);
  let status = 502;
  try {
    const authorities = [...trusted, ...(fetching === null ? [] : packageAuthorities())];
    const upstream = await encrypt(found.socket, target.host, limits, authorities);
    status = NO_ANSWER;
    const fetch = fetching === null ? null : { scope: fetching.scope, path };
    const to = { ...target, path, isSecure: true };
    await forward({ request, response, target: to, added, fetch, gate, idempotencyKey }, upstream, limits);
  } catch (error) {
    found.socket.destroy();
    if (response.headersSent) return void response.destroy();
    const reason = upstreamProblem(error, target.host, fetching !== null);
    if (!reason.includes(DISTRUSTED)) return refuse(status, reason);
    refused(reason);
    refuse(403, reason); // trying again does not help, and after 502 package managers would
  }
}

const DISTRUSTED = 'is signed by an authority that is not trusted';

function upstreamProblem(error: unknown, host: string, isRegistry: boolean): string {
  const isDistrusted = /^(?:UNABLE_TO_(?:VERIFY|GET_ISSUER)|SELF_SIGNED|DEPTH_ZERO)/.test(errnoOf(error) ?? '');
  if (!isDistrusted) return `the server does not answer properly: ${messageOf(error)}`;
  const fix = isRegistry
    ? 'name the file with it as cafile in your .npmrc, as cert in your pip.conf'
    : 'name the file with it';
  return `the certificate of ${host} ${DISTRUSTED}: ${fix}, or in NODE_EXTRA_CA_CERTS, and start oka again`;
}

function pathOf(written: string): string | null {
  const url = written.startsWith('/') ? URL.parse(`https://registry.invalid${written}`) : null;
  return url === null ? null : `${url.pathname}${url.search}`;
}

async function encrypt(
  socket: Socket,
  host: string,
  { connectMs }: Limits,
  authorities: readonly string[],
): Promise<Socket> {
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const secured = connect({ socket, host, ...servername, ca: [...authorities], ALPNProtocols: ['http/1.1'] });
  try {
    await once(secured, 'secureConnect', { signal: AbortSignal.timeout(connectMs) });
    return secured;
  } catch (error) {
    secured.on('error', () => undefined).destroy();
    throw error;
  }
}

let authorities: readonly string[] | null = null;

/** Those that Node knows, those of the system, and those in NODE_EXTRA_CA_CERTS. */
function machineAuthorities(): readonly string[] {
  authorities ??= [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
  return authorities;
}
