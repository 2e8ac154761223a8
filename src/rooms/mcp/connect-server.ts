/**
 * Owns: connecting to a server: starting it or addressing it, with the secrets and rights of its entry, in the era of the
 * protocol that it speaks.
 * Does not own: when that is done and for how long (server-pool.ts), which of its tools may be used (mcp-pins.ts).
 */
import { join } from 'node:path';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HttpServer, isStdio, type McpServer, type StdioServer } from '../../core/schema/mcp.ts';
import { fetchThrough } from '../../kit/egress/fetch-through.ts';
import { endLeftovers } from '../../kit/sandbox/desk-lock.ts';
import type { Era, openSession, Session, SessionOptions } from './client/client-session.ts';
import { lineTransport } from './client/line-transport.ts';
import { readDefinitions, type ReadDefinitions } from './client/read-definitions.ts';
import { startServer } from './client/server-process.ts';
import type { Sandbox } from '../../kit/sandbox/sandbox.ts';
import type { EgressAccess } from '../../kit/egress/egress-access.ts';
import { authorizationFetch } from './authorization-fetch.ts';
import { findLoginNeeded } from './login-question.ts';
import { knownEra } from './mcp-pins.ts';
import { serverCommand, serverIdentity } from './server-command.ts';
import { serverFolders } from './server-rights.ts';
import { serverLogin } from './server-login.ts';
import { hasAuthorization, type RevealForServer } from './server-secrets.ts';
import type { LoginStore } from './stored-logins.ts';

export type ConnectPorts = {
  home: Home;
  sandbox: Pick<Sandbox, 'forServer'>;
  egress: Pick<EgressAccess, 'grant'>;
  reveal: RevealForServer;
  logins: LoginStore;
  clock: () => number;
};

export type Connection = {
  identity: string;
  session: Session;
  /** The tools that it has now. */
  tools(signal?: AbortSignal): Promise<ReadDefinitions>;
  /** Why it ended, in words; null while it is open. */
  whyClosed(): string | null;
  close(): Promise<void>;
};

type ConnectOptions = Pick<SessionOptions, 'signal' | 'onToolsChanged' | 'ask' | 'sample'> & {
  onClose?: () => void;
};

const CONNECT_MS = 20_000;
const HTTP_MS = 7 * 86_400_000;

/** Throws when the server cannot be reached or started, saying why. */
export async function connectServer(
  name: string,
  server: McpServer,
  ports: ConnectPorts,
  options: ConnectOptions = {},
): Promise<Connection> {
  const { openSession } = await import('./client/client-session.ts'); // a worker without servers spares its library
  const identity = serverIdentity(ports.home, server);
  const prior = knownEra(ports.home, name, identity, ports.clock());
  const open = (era: Era | null): Promise<Connection> =>
    isStdio(server)
      ? connectStdio(name, server, ports, { ...options, prior: era, identity, openSession })
      : connectHttp(name, server, ports, { ...options, prior: era, identity, openSession });
  try {
    return await open(prior);
  } catch (error) {
    if (options.signal?.aborted === true || !(error instanceof Unanswered)) throw error;
    // It may have been changed since it was asked, or have ended at a question of the newer protocol.
    return open(prior === null ? { kind: 'legacy' } : null);
  }
}

/** It was started or reached, and the conversation did not begin. */
class Unanswered extends OkaError {}

type Opening = ConnectOptions & { prior: Era | null; identity: string; openSession: typeof openSession };

async function connectStdio(
  name: string,
  server: StdioServer,
  { home, sandbox, reveal }: ConnectPorts,
  { onClose, identity, ...options }: Opening,
): Promise<Connection> {
  const state = join(home.oka, 'state', 'mcp', name);
  const folders = serverFolders(home, server);
  const { argv } = serverCommand(home, server);
  const env = await reveal(name, server.env, null);
  const place = await sandbox.forServer({ folders, hosts: server.net, state });
  if (place.kind === 'refused') throw new OkaError('refused', `the server ${name}: ${place.reason}`);
  await endLeftovers(place.launch.launcher, place.launch.mark ?? 0);
  const started = startServer(argv, { cwd: place.scratch, env: { ...place.env, ...env } }, place.launch);
  const transport = lineTransport(started);
  const dispose = async (): Promise<void> => {
    await started.end();
    await place[Symbol.asyncDispose]();
  };
  void started.ended.then(() => onClose?.());
  return open(name, transport, options, { identity, dispose, whyClosed: () => transport.whyClosed() });
}

async function connectHttp(
  name: string,
  server: HttpServer,
  { egress, reveal, logins, clock }: ConnectPorts,
  { onClose: _onClose, identity, ...options }: Opening,
): Promise<Connection> {
  const { httpTransport } = await import('./client/http-transport.ts');
  const url = new URL(server.url);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const headers = await reveal(name, server.headers, url);
  const grant = await egress.grant({ run: null, call: null, hosts: [], servers: [`${url.hostname}:${port}`] }, HTTP_MS);
  const transport = httpTransport({
    url: server.url,
    headers,
    fetch: fetchThrough(() => Promise.resolve(grant.env)),
    ...(hasAuthorization(server)
      ? {}
      : { login: serverLogin(name, url, { logins, fetch: authorizationFetch(egress, url), clock }) }),
  });
  const dispose = (): Promise<void> => {
    grant[Symbol.dispose]();
    return Promise.resolve();
  };
  return open(name, transport, options, { identity, dispose, whyClosed: () => null });
}

async function open(
  name: string,
  transport: Parameters<typeof openSession>[0],
  { openSession, ...options }: Omit<Opening, 'onClose' | 'identity'>,
  { identity, dispose, whyClosed }: { identity: string; dispose: () => Promise<void>; whyClosed: () => string | null },
): Promise<Connection> {
  const refuse = (error: unknown): never => {
    const ended = whyClosed();
    const login = findLoginNeeded(error);
    if (login !== null) throw login;
    const why = ended === null ? messageOf(error) : `it ${ended}`;
    throw new OkaError('refused', `the server ${name} cannot list its tools: ${why}`, { cause: error });
  };
  try {
    const session = await openSession(transport, { ...options, timeoutMs: CONNECT_MS });
    return {
      identity,
      session,
      tools: async (signal) =>
        readDefinitions(await session.listTools(signal).catch((error: unknown) => refuse(error))),
      whyClosed,
      close: async () => {
        await session.close().catch(() => undefined); // its process is ended in any case
        await dispose();
      },
    };
  } catch (error) {
    const ended = whyClosed();
    await dispose();
    const login = findLoginNeeded(error);
    if (login !== null) throw login;
    const isSilent = ended === null || ended === 'was stopped';
    const problem = `the server ${name} does not answer: ${isSilent ? messageOf(error) : `it ${ended}`}`;
    if (isSilent && options.prior === null) throw new OkaError('refused', problem, { cause: error });
    throw new Unanswered('refused', problem, { cause: error });
  }
}
