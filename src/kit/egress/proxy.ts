/**
 * Owns: the egress proxy, the only route from a command to the network. CONNECT and plain http.
 * Does not own: which hosts are allowed (core/guard/egress-rule.ts), which commands may use a network at all (the sandbox).
 *
 * X1 Whoever has no ticket gets nothing, not even an answer about a host.
 * X2 Every connection is decided by name, then by address, and goes to an address that was decided on (route.ts).
 * X3 Each decision is reported, however often it is the same (decision-log.ts).
 * X4 Time, size and number of everything are bounded; a client that stalls costs a socket for a while, no more.
 * X6 In a fleet nothing of a run goes out that another member may go on with by now: a process that stood still asks
 *    first, before it connects and before each piece of what a client sends.
 * X5 What goes wrong with one connection ends that connection only.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Registry } from '../../core/guard/egress-rule.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { ClaimCheck } from '../../core/schema/ports.ts';
import { headersFor, plainObjection } from './added-headers.ts';
import { gateFor } from './claim-gate.ts';
import { connectTo } from './connect.ts';
import { forward, findObjection } from './forward.ts';
import { type Limits, LIMITS } from './limits.ts';
import { type RouteOptions, chooseRoute } from './route.ts';
import { type Target, parseConnectTarget, parseRequestTarget, type Unclear } from './proxy-target.ts';
import type { DecisionLog } from './decision-log.ts';
import { type Admit, type Admitted, readTicket } from './proxy-tickets.ts';
import { NO_ANSWER, OWN_ANSWER, REFUSALS_PATH } from './refusals.ts';
import type { Authority } from './certificates.ts';
import { acceptPackages, PACKAGES_PATH } from './register-packages.ts';
import { registryObjection } from './registry-request.ts';
import { createRegistryReader, type ReadRegistryTunnel, type RegistryTunnel } from './registry-tunnel.ts';
import { joinSockets, refuseConnect } from './tunnel.ts';

export type ProxyOptions = RouteOptions & {
  listen: { host: string; port: number };
  admit: Admit;
  telling: DecisionLog;
  limits?: Partial<Limits>;
  clock: () => number;
  /** With it, requests of steps that only fetch are read inside their tunnels to registries, too. */
  authority?: Authority;
  /** Authorities of registries, as PEM; those of the machine when left out. */
  trusted?: readonly string[];
  /** Authorities, as PEM, that package registries are trusted by in addition. */
  packageAuthorities?: () => readonly string[];
  /** Whether a run may still reach the outside, where others could go on with it. */
  claims?: ClaimCheck | undefined;
  /** The key that is shared with a worker in another process. */
  key?: Buffer;
};

export type Proxy = AsyncDisposable & { readonly host: string; readonly port: number };

export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const limits = { ...LIMITS, ...options.limits };
  const { authority, trusted, packageAuthorities, clock } = options;
  const readTunnel = authority && createRegistryReader({ authority, trusted, packageAuthorities, limits, clock });
  const door: Door = { ...options, limits, tunnels: new Set(), readTunnel };
  const connected = new Set<Duplex>();
  const server = serverFor(door);
  server.on('connect', (request, socket, head) => {
    connected.add(socket);
    socket.once('close', () => connected.delete(socket)).on('error', () => socket.destroy());
    tunnel(request, socket as Socket, head, door).catch(() => socket.destroy()); // there is nobody to tell
  });
  server.on('request', (request, response) => {
    exchange(request, response, door).catch(() => response.destroy()); // the request is over for both sides
  });
  server.listen(options.listen.port, options.listen.host);
  await once(server, 'listening');
  // A connection that cannot be taken, for want of descriptors, is lost to its client only (X5).
  server.on('error', () => undefined);
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of connected) socket.destroy();
      await closed;
    },
  };
}

/** `tunnels` are those that are open or being opened. */
type Door = ProxyOptions & { limits: Limits; tunnels: Set<Socket>; readTunnel: ReadRegistryTunnel | undefined };

function serverFor({ limits }: Door): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: Math.min(limits.headersMs, limits.lifeMs),
    requestTimeout: limits.lifeMs,
    connectionsCheckingInterval: Math.max(50, Math.min(limits.headersMs / 4, 5000)),
    keepAliveTimeout: Math.min(limits.idleMs, 5000),
    // The Host header does not count: the first line says where to go.
    requireHostHeader: false,
  });
  // More than ten parts listen to the end of a client's connection, none of them twice.
  server.on('connection', (socket) => socket.setMaxListeners(30));
  server.maxConnections = limits.connections * 2;
  server.setTimeout(limits.idleMs);
  server.on('clientError', (error, socket) => {
    if (socket.writable) refuseConnect(socket as Socket, '400 Bad Request', `not understood: ${messageOf(error)}`);
    else socket.destroy();
  });
  return server;
}

const NO_TICKET =
  'this proxy is for commands of oka, each with its own ticket, and that of a step that is over is gone';
const ADVICE = 'Which hosts may be reached is for a person to say, in .oka/rules/POLICY.md.';
const CHALLENGE = 'proxy-authenticate: Basic realm="oka"';

async function tunnel(request: IncomingMessage, client: Socket, head: Buffer, door: Door): Promise<void> {
  const admitted = door.admit(readTicket(request.headers['proxy-authorization']));
  if (admitted === null) return refuseConnect(client, '407 Proxy Authentication Required', NO_TICKET, [CHALLENGE]);
  if (door.tunnels.size >= door.limits.connections)
    return refuseConnect(client, '503 Service Unavailable', 'there are too many tunnels already');
  using guest = register(admitted, client, door.tunnels);
  const target = parseConnectTarget(request.url ?? '');
  const found = await reach(target, admitted, client, door);
  if ('reason' in found) return refuseConnect(client, found.status, found.reason);
  const fetching = fetchingFrom(found.registry, admitted);
  const added = headersFor(admitted.holder.addedHeaders, target as Target);
  const isRead = fetching !== null || Object.keys(added).length > 0 || admitted.holder.idempotencyKey !== undefined;
  const problem = tunnelObjection(fetching?.registry.isPlain === true, added, door);
  if (problem !== null) {
    found.socket.destroy(); // inside a tunnel nobody would see what is sent
    admitted.refusals.add(problem);
    return refuseConnect(client, '403 Forbidden', problem);
  }
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) client.unshift(head);
  guest.keep();
  if (isRead && door.readTunnel !== undefined)
    return door.readTunnel(client, {
      ...registryTunnel(target as Target, found.socket, admitted, client, door),
      fetching,
      added,
    });
  joinSockets(client, found.socket, door.limits, connectionLifetime(admitted, door), gateFor(admitted, client, door));
}

function tunnelObjection(isPlain: boolean, added: Readonly<Record<string, string>>, door: Door): string | null {
  if (isPlain) return 'this registry speaks plain http: no tunnel is needed';
  if (Object.keys(added).length === 0 || door.readTunnel !== undefined) return null;
  return 'the secret of this step cannot be added inside an encrypted connection: this proxy has no authority of its own';
}

/** The connection that was made when the tunnel was asked for serves its first request. */
function registryTunnel(
  target: Target,
  first: Socket,
  admitted: Admitted,
  client: Socket,
  door: Door,
): Omit<RegistryTunnel, 'fetching' | 'added'> {
  let unused: Socket | null = first;
  client.once('close', () => unused?.destroy());
  return {
    target,
    connect: async () => {
      const socket = unused;
      unused = null;
      return socket === null || socket.destroyed ? reach(target, admitted, client, door) : { socket };
    },
    refused: (reason) => admitted.refusals.add(reason),
    lifeMs: connectionLifetime(admitted, door),
    gate: gateFor(admitted, client, door),
    idempotencyKey: admitted.holder.idempotencyKey,
  };
}

async function exchange(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const refuse = (status: string, reason: string, headers: Record<string, string> = {}): void => {
    const plain = { ...OWN_ANSWER, 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...headers };
    response.writeHead(Number(status.slice(0, 3)), plain).end(`${reason}\n`);
  };
  response.on('error', () => response.destroy());
  const ticket = readTicket(request.headers['proxy-authorization']);
  const admitted = door.admit(ticket);
  if (admitted === null)
    return refuse('407', NO_TICKET, { 'proxy-authenticate': CHALLENGE.slice(CHALLENGE.indexOf(' ') + 1) });
  if (request.url === PACKAGES_PATH) {
    const isAccepted = await acceptPackages(request, ticket, door.key, admitted.scope);
    return isAccepted ? void response.writeHead(204).end() : refuse('403', 'only the worker names packages');
  }
  if (request.url === REFUSALS_PATH) {
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    return void response.end(JSON.stringify(admitted.refusals.list()));
  }
  const objection = findObjection(request);
  if (objection !== null) return refuse('400', objection);
  const target = parseRequestTarget(request.url ?? '');
  using _ = register(admitted, request.socket);
  const found = await reach(target, admitted, request.socket, door);
  if ('reason' in found) return refuse(found.status, found.reason);
  const added = headersFor(admitted.holder.addedHeaders, target as Target);
  const wanted = target as Exclude<typeof target, Unclear>;
  const fetching = fetchingFrom(found.registry, admitted);
  const misuse =
    plainObjection(added, wanted) ??
    (fetching === null ? null : registryObjection(request, wanted.path, fetching.registry, fetching.scope));
  if (misuse !== null) {
    admitted.refusals.add(misuse);
    found.socket.destroy();
    return refuse('403', misuse);
  }
  const life = setTimeout(
    () => found.socket.destroy(new Error('it took too long')),
    connectionLifetime(admitted, door),
  );
  try {
    const fetch = fetching === null ? null : { scope: fetching.scope, path: wanted.path };
    const { idempotencyKey } = admitted.holder;
    const gate = gateFor(admitted, request.socket, door);
    await forward({ request, response, target: wanted, added, fetch, gate, idempotencyKey }, found.socket, door.limits);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else refuse(String(NO_ANSWER), `the other side does not answer properly: ${messageOf(error)}`);
  } finally {
    clearTimeout(life);
  }
}

/** Set if the step may only fetch packages from this host. */
function fetchingFrom(registry: Registry | null, { holder, scope }: Admitted): RegistryTunnel['fetching'] {
  return registry !== null && holder.onlyFetches === true ? { registry, scope } : null;
}

type Reached = { socket: Socket; registry: Registry | null } | { status: string; reason: string };

/** Decides, reports the decision, and connects. */
async function reach(target: Target | Unclear, admitted: Admitted, client: Socket, door: Door): Promise<Reached> {
  const { holder, refusals } = admitted;
  const tell = (verdict: 'allowed' | 'refused', reason: string, host: string, port: number): void =>
    door.telling.report({ run: holder.run, call: holder.call, host: host.slice(0, 253), port, verdict, reason });
  if ('problem' in target) {
    tell('refused', target.problem, 'unclear', 0);
    refusals.add(target.problem);
    return { status: '400 Bad Request', reason: target.problem };
  }
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  if (client.destroyed) leave();
  client.once('close', leave);
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(door.limits.connectMs)]);
  try {
    const route = await chooseRoute(target, holder, door, signal);
    tell(route.verdict === 'allowed' ? 'allowed' : 'refused', route.reason, target.host, target.port);
    if (route.verdict === 'refused') refusals.add(`${target.host}:${target.port}: ${route.reason}`);
    if (route.verdict === 'refused') return { status: '403 Forbidden', reason: `${route.reason}. ${ADVICE}` };
    if (route.verdict === 'unknown') return { status: '502 Bad Gateway', reason: route.reason };
    const lost = await gateFor(admitted, client, door)?.open();
    if (typeof lost === 'string') refusals.add(lost);
    if (typeof lost === 'string') return { status: '403 Forbidden', reason: lost };
    const connected = await connectTo(route.addresses, target.port, door.limits.connectMs, signal);
    if ('socket' in connected && !gone.signal.aborted) return { ...connected, registry: route.registry };
    if ('socket' in connected) connected.socket.destroy();
    const why = 'problem' in connected ? connected.problem : 'nobody waits for it any more';
    return { status: '502 Bad Gateway', reason: `${target.host}:${target.port}: ${why}` };
  } finally {
    client.off('close', leave);
  }
}

/** Ties a client's socket to its ticket: while a request is served, or for good. */
function register(
  { connections }: Admitted,
  client: Socket,
  tunnels: Set<Socket> = new Set(),
): Disposable & { keep(): void } {
  const cut = { [Symbol.dispose]: () => void client.destroy() };
  const forget = (): void => {
    connections.delete(cut);
    tunnels.delete(client);
  };
  let kept = false;
  connections.add(cut);
  tunnels.add(client);
  client.once('close', forget);
  return {
    keep: () => {
      kept = true;
    },
    [Symbol.dispose]: () => {
      if (kept) return;
      client.off('close', forget);
      forget();
    },
  };
}

function connectionLifetime({ leftMs }: Admitted, { limits }: Door): number {
  return leftMs === null ? limits.lifeMs : Math.min(limits.lifeMs, leftMs);
}
