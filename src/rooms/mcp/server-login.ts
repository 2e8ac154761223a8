/**
 * Owns: the access token for requests to one MCP server, renewed when that is due.
 *
 * T1 A token is renewed shortly before it expires, or when the server refuses it; one renewal at a time.
 * T2 A renewal that fails for a passing reason ends no login. One that the authorization server refuses does.
 */
import { OkaError } from '../../core/schema/errors.ts';
import type { RequestLogin } from './client/http-transport.ts';
import type { Login } from './client/oauth-login.ts';
import type { LoginStore } from './stored-logins.ts';

/** Nobody is logged in, or no longer: a person has to do it. */
export class LoginNeeded extends OkaError {
  constructor(server: string, why: string) {
    super('not-set-up', `the server ${server} needs a login: ${why}`, { fix: `oka mcp login ${server}` });
  }
}

type ServerLoginPorts = { logins: LoginStore; fetch: typeof globalThis.fetch; clock: () => number };

const RENEW_MS = 60_000;

export function serverLogin(name: string, url: URL, ports: ServerLoginPorts): RequestLogin {
  const { logins, clock } = ports;
  let renewing: Promise<Login> | null = null;
  const renewOnce = (login: Login): Promise<Login> =>
    (renewing ??= renew(name, url, login, ports).finally(() => void (renewing = null)));
  return {
    async authorization() {
      const login = await logins.find(name, url);
      if (login === null) return null;
      const leftMs = (login.expiresAt ?? Infinity) - clock();
      if (leftMs > RENEW_MS) return headerOf(login);
      if (login.refreshToken === null && leftMs > 0) return headerOf(login);
      return headerOf(
        await renewOnce(login).catch((error: unknown) => {
          if (leftMs > 0 && !(error instanceof LoginNeeded)) return login; // it is still good for a moment
          throw error;
        }),
      );
    },
    async renew(refused) {
      const login = await logins.find(name, url);
      if (login === null) throw new LoginNeeded(name, 'nobody is logged in');
      return headerOf(headerOf(login) === refused ? await renewOnce(login) : login);
    },
    needed: () => new LoginNeeded(name, 'it does not accept the present one'),
  };
}

const headerOf = ({ accessToken }: Login): string => `Bearer ${accessToken}`;

async function renew(name: string, url: URL, login: Login, ports: ServerLoginPorts): Promise<Login> {
  const { logins } = ports;
  if (login.refreshToken === null) throw new LoginNeeded(name, 'the present one has expired');
  const { refreshLogin } = await import('./client/oauth-client.ts');
  const refreshed = await refreshLogin(login, login.refreshToken, ports);
  if (refreshed.kind === 'refreshed') {
    await logins.save(name, refreshed.login);
    return (await logins.find(name, url)) ?? refreshed.login; // redaction knows the token before it is used
  }
  const now = await logins.find(name, url);
  if (now !== null && now.refreshToken !== login.refreshToken) return now; // another process was faster
  await logins.remove(name);
  throw new LoginNeeded(name, `${new URL(login.issuer).host} has ended the present one (${refreshed.why})`);
}
