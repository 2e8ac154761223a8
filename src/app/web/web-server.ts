/**
 * Owns: the server of the dashboard: it puts the parts together and listens.
 *
 * W1 It has no pen and decides nothing: it reads queries and submits intakes. The worker does not notice whether it runs.
 * W2 It writes .oka/intake, .oka/web and workspace/inbox, and nothing else: everything else may be mounted read-only.
 * W3 Nothing but the login page, assets and the manifest is answered without a session.
 */
import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { openRowsReader } from '../../kit/house/open-views.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { addBulkRoutes } from './api/bulk-routes.ts';
import { addFollowUpRoutes } from './api/follow-up-routes.ts';
import { addIntakeRoutes } from './api/intake-routes.ts';
import { addTypingRoute } from '../../rooms/chat/page/typing-route.ts';
import { addMetricsRoute } from './api/metrics-route.ts';
import { describedRoutes } from './api/described-routes.ts';
import { addOpenApiRoute } from '../../kit/web/api/openapi.ts';
import { addPresenceRoute } from './api/presence-route.ts';
import { addQueryRoutes } from '../../kit/web/api/query-routes.ts';
import { addAssetRoutes } from '../../kit/web/assets/asset-routes.ts';
import { openBrowserFiles } from '../../kit/web/assets/browser-files.ts';
import { addFileRoutes } from './files/file-routes.ts';
import { addHookRoutes } from './hooks/hook-routes.ts';
import { openAccess } from '../../kit/web/login/access.ts';
import { removeAddress, writeAddress } from '../../kit/web/login/address-file.ts';
import {
  addLoginRoutes,
  addTicketRoute,
  cookieSession,
  type Door,
  openProofs,
  proofIn,
  requireSession,
  sessionOf,
} from '../../kit/web/login/login-routes.ts';
import { openTickets } from '../../kit/web/login/tickets.ts';
import { addSessionRoutes } from '../../kit/web/login/session-routes.ts';
import { addEventStream } from '../../kit/web/live/event-stream.ts';
import { openLedgerTail } from '../../kit/web/live/ledger-tail.ts';
import { addMcpRoutes } from './mcp/mcp-routes.ts';
import type { Page } from '../../kit/web/page.ts';
import { addDocumentRoutes } from '../../kit/web/page-routes.ts';
import { pages as allPages } from './pages.ts';
import { checkRequests, type Known } from '../../kit/web/request-checks.ts';
import { addRulesRoutes } from './setup/rules-routes.ts';
import { addModelRoutes } from './setup/model-routes.ts';
import { addTaskRoutes } from './tasks/task-routes.ts';

export type WebOptions = {
  home: Home;
  /** Loopback unless a person says otherwise. */
  host: string;
  /** 0 for any. */
  port: number;
  /** The address that a proxy serves it under; null when there is none. */
  address: string | null;
  pages?: readonly Page[];
  /** A line for the operator. */
  log: (line: string) => void;
};

export type Web = { address: string; port: number; newLink: () => string; close: () => Promise<void> };

const MOST_CONNECTIONS = 400;
/** Connections on which nothing is asked. */
const MOST_SILENT = 200;

export async function startWeb(options: WebOptions): Promise<Web> {
  const { home, host, address } = options;
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    keepAliveTimeout: 10_000,
    maxHeaderSize: 16_384,
  });
  server.maxConnections = MOST_CONNECTIONS;
  limitSilent(server);
  const port = await listen(server, host, options.port);
  const access = openAccess(home);
  const place = placeOf({ host, port, address }, () => isProtected(access));
  const stop = new AbortController();
  const reader = openRowsReader(home);
  const tail = openLedgerTail(home);
  writeAddress(home, place.address);
  const app = buildApp({ ...options, place, reader, tail, access, signal: stop.signal });
  const answer = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  server.on('request', (request, response) => void answer(request, response));
  return {
    address: place.address,
    port,
    newLink: () => `${place.address}login#${access.newLink()}`,
    close: async () => {
      stop.abort();
      removeAddress(home, place.address);
      tail.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await reader.close();
    },
  };
}

type Place = Known & { address: string; base: string; isSecure: boolean };
type Parts = WebOptions & {
  place: Place;
  reader: ReturnType<typeof openRowsReader>;
  tail: ReturnType<typeof openLedgerTail>;
  access: ReturnType<typeof openAccess>;
  signal: AbortSignal;
};

function buildApp({ home, pages = allPages, place, reader, tail, access, signal, log }: Parts): Hono {
  const { base, isSecure } = place;
  const cookie = { name: `oka_${hash('sha256', home.dir).slice(0, 8)}`, path: base, isSecure };
  const door: Door = { access, cookie, tickets: openTickets() };
  const files = openBrowserFiles();
  const app = base === '/' ? new Hono() : new Hono().basePath(base.slice(0, -1));
  app.onError((error, context) => {
    log(`dashboard: ${context.req.method} ${context.req.path} failed: ${error.message}`);
    return context.json(
      { error: { code: 'refused', message: 'The dashboard failed to do that.', fix: 'See its log.' } },
      500,
    );
  });
  const source = (context: Context): string => sourceOf(context, place.proxyOrigin !== null);
  addHookRoutes(app, { home, isKnownHost: place.isKnownHost, sourceOf: source, log });
  app.use('*', checkRequests(place));
  addMcpRoutes(app, { home, reader, access });
  addAssetRoutes(app, files, base);
  const checkProof = openProofs(door, source);
  addLoginRoutes(app, door, checkProof);
  for (const path of ['/api/*', '/files/*', '/artifacts/*', '/metrics']) app.use(path, requireSession(door));
  addTicketRoute(app, door);
  addSessionRoutes(app, access, (context) => sessionOf(context, door));
  addQueryRoutes(app, pages, { home, reader });
  addOpenApiRoute(app, pages, describedRoutes, base);
  addMetricsRoute(app, { home, reader });
  addIntakeRoutes(app, pages, home, (context) => `${sessionOf(context, door)?.name ?? ''} (dashboard)`);
  addFollowUpRoutes(app, { home, reader });
  addBulkRoutes(app, home, signal);
  addFileRoutes(app, { home, reader }, base);
  addTaskRoutes(app, home);
  addPresenceRoute(app, home);
  addModelRoutes(app, home);
  addRulesRoutes(app, {
    home,
    checkProof: (context, proof) => checkProof(context, proofIn(proof)),
    nameOf: (context) => `${sessionOf(context, door)?.name ?? ''} (dashboard)`,
  });
  addTypingRoute(app, home);
  addEventStream(app, home, tail, signal);
  addDocumentRoutes(app, {
    pages,
    files,
    base,
    tail,
    reading: { home, reader },
    find: (context) => sessionOf(context, door),
    isVisitor: (context) => cookieSession(context, door) !== null,
  });
  return app;
}

/** The machine that a request comes from; behind a proxy, the last one that the proxy names, since others are only claimed. */
function sourceOf({ env, req }: Context, hasProxy: boolean): string {
  const named = hasProxy ? (req.header('x-forwarded-for') ?? '').split(',').at(-1)?.trim() : undefined;
  if (named !== undefined && isIP(named) !== 0) return named;
  return (env as { incoming?: { socket: { remoteAddress?: string } } }).incoming?.socket.remoteAddress ?? '';
}

/** Whether there is more to log in with than links, which only whoever is at this machine can get. */
const isProtected = (access: Parts['access']): boolean =>
  access.hasPassphrase() || access.list().some(({ kind }) => kind === 'token');

type Listening = { host: string; port: number; address: string | null };

function placeOf({ host, port, address }: Listening, mayBeElsewhere: () => boolean): Place {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const shown = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const names = new Set([`${shown}:${port}`, `localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]);
  const proxy = address === null ? null : new URL(address);
  const base = proxy === null ? '/' : proxy.pathname.replace(/\/?$/, '/');
  return {
    // A name can be pointed at us by anybody; an address cannot.
    isKnownHost: (given) =>
      names.has(given) ||
      given === proxy?.host ||
      (isEverywhere && isAddress(given) && (isLoopbackName(given) || mayBeElsewhere())),
    proxyOrigin: proxy?.origin ?? null,
    address: proxy === null ? `http://${shown}:${port}/` : `${proxy.origin}${base}`,
    base,
    isSecure: proxy?.protocol === 'https:',
  };
}

/** An address, or the name that every machine has for itself; on any port, since a container does not know which is published. */
function isAddress(given: string): boolean {
  const name = given.replace(/:\d{1,5}$/, '');
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** Whoever connects and asks nothing makes room for whoever comes later: the one that has been silent longest goes first. */
function limitSilent(server: Server): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    if (silent.size <= MOST_SILENT) return;
    const [longest] = silent;
    longest?.destroy();
  });
  server.on('request', ({ socket }, response) => {
    silent.delete(socket);
    response.once('close', () => (socket.destroyed ? undefined : silent.add(socket)));
  });
}

/** A container does not see who may reach its port; a browser elsewhere names another address than this. */
const isLoopbackName = (given: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/.test(given);

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((done, fail) => {
    server.once('error', (error) => fail(describeListenError(error, host, port)));
    server.listen(port, host, done);
  });
  return (server.address() as AddressInfo).port;
}

function describeListenError(error: Error & { code?: string }, host: string, port: number): OkaError {
  if (error.code === 'EADDRINUSE')
    return new OkaError('refused', `port ${port} of ${host} is taken`, {
      fix: 'Choose another: oka web --port 6521',
      cause: error,
    });
  return new OkaError('refused', `cannot listen on ${host}:${port}: ${error.message}`, { cause: error });
}
