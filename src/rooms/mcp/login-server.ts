/** Owns: a person's login at an MCP server, from the first question to the stored tokens, and its end. */
import { randomBytes } from 'node:crypto';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HttpServer, isStdio } from '../../core/schema/mcp.ts';
import { listenForRedirect } from './client/loopback-redirect.ts';
import { startLogin } from './client/oauth-client.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { type HomeVault, openHomeVault, type SecretChange } from '../../kit/vault/home-vault.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';
import { egressRoutes } from '../../kit/egress/egress-routes.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { assertSecure, authorizationFetch } from './authorization-fetch.ts';
import { requireServer } from './inspect-server.ts';
import { hasAuthorization, revealForServer } from './server-secrets.ts';
import { storedLogins } from './stored-logins.ts';

type LoginOptions = {
  signal: AbortSignal;
  rooms?: readonly HouseRoom[] | undefined;
  /** Called with the address that the person has to open. Nothing is opened by itself. */
  show: (address: URL) => void;
};

export type LoggedIn = { issuer: string; expires: string | null; isRenewable: boolean; changes: SecretChange[] };

const LONGEST_MS = 600_000;

export async function logIn(home: Home, name: string, { signal, rooms, show }: LoginOptions): Promise<LoggedIn> {
  const server = requireLoginServer(home, name);
  const url = new URL(server.url);
  const vault = await openHomeVault(home, (await loadRoomsConfig(home, rooms)).credentials);
  const { policy } = loadPolicy(home.policy, lineClassifierOf(home));
  const egress = egressRoutes({ home, policy: () => policy, decided: () => undefined, clock: Date.now });
  try {
    const state = randomBytes(32).toString('base64url');
    await using redirect = await listenForRedirect(state, server.oauth?.callbackPort ?? null);
    const fetch = authorizationFetch(egress.steps, url);
    const client = await clientOf(name, server, vault);
    const started = await startLogin({ url, redirectUrl: redirect.url, state, client, fetch, clock: Date.now });
    assertSecure(started.address, url);
    show(started.address);
    const login = await started.finish(await receive(redirect.received, signal));
    const changes = await storedLogins(home, (secret) => vault.find(secret)).save(name, login);
    const expires = login.expiresAt === null ? null : new Date(login.expiresAt).toISOString();
    return { issuer: login.issuer, expires, isRenewable: login.refreshToken !== null, changes };
  } finally {
    await egress.steps[Symbol.asyncDispose]();
  }
}

/** Removes the tokens from the vault. */
export function logOut(home: Home, name: string): Promise<SecretChange[]> {
  return storedLogins(home, () => Promise.resolve(null)).remove(name);
}

function requireLoginServer(home: Home, name: string): HttpServer {
  const server = requireServer(home, name);
  if (isStdio(server))
    throw new OkaError('usage', `the server ${name} runs here; a login is for servers with a url`, {
      fix: 'Give it what it needs in "env" of its entry in .oka/rules/mcp.json.',
    });
  if (hasAuthorization(server))
    throw new OkaError('usage', `the entry of ${name} has an Authorization header, which would be sent instead`, {
      fix: 'Remove the header from .oka/rules/mcp.json first.',
    });
  assertSecure(new URL(server.url), new URL(server.url));
  return server;
}

async function clientOf(
  name: string,
  { url, oauth = {} }: HttpServer,
  vault: Pick<HomeVault, 'find'>,
): Promise<{ id: string | null; secret: string | null; scope: string | null }> {
  const { clientId: id = null, clientSecret = '', scope = null } = oauth;
  const filled = await revealForServer((secret) => vault.find(secret))(name, { clientSecret }, new URL(url));
  return { id, secret: filled['clientSecret'] || null, scope };
}

async function receive(received: Promise<URLSearchParams>, signal: AbortSignal): Promise<URLSearchParams> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new OkaError('refused', 'the login was not finished; nothing was changed'));
  ended.addEventListener('abort', stop, { once: true });
  if (ended.aborted) stop();
  return Promise.race([received, promise]);
}
