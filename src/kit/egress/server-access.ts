/**
 * Owns: what a channel or an account reaches its servers with: secrets that are its own, and the route to the servers that
 * a person has configured for it.
 *
 * C1 A secret is given to the channel or account (`--tool channels.<name>`, `--tool accounts.<name>`) and for the host that
 *    a person has set it for; it is sent encrypted, or on this machine.
 * C2 Requests go through the egress proxy where there is one, with a ticket for this server alone. No redirect is followed.
 * C3 A pinned certificate is the only one that is accepted; without a pin the authorities of the machine decide.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions, request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { isLoopback } from '../models/base-url.ts';
import type { ChannelFetch, ChannelRequest, ChannelTools } from '../../core/schema/channel-port.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Credential } from '../../core/schema/ports.ts';
import { toResponse } from './fetch-through.ts';
import type { EgressRoutes } from './egress-routes.ts';

/** How every server that people have configured is reached. */
export type AccessRoute = {
  find: (name: string) => Promise<Credential | null>;
  /** The proxy for a server, as the environment would name it; null: straight. */
  proxyFor: (host: string, port: number) => Promise<Readonly<Record<string, string>> | null>;
};

export function accessRoute(find: AccessRoute['find'], { tools }: Pick<EgressRoutes, 'tools'>): AccessRoute {
  const { through } = tools;
  return {
    find,
    proxyFor: async (host, port) =>
      through === undefined || isLoopback(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
        ? null
        : through(host, port, true),
  };
}

/** Whose access it is: the tool that its secrets are for, and its name for a person. */
type AccessOwner = { tool: string; called: string };
type ServerAccess = Omit<ChannelTools, 'name'>;

export function serverAccess(owner: AccessOwner, route: AccessRoute): ServerAccess {
  return {
    reveal: (secret, host) => reveal(owner, secret, host, route),
    fetch: pinnedFetch(route),
    proxyFor: async (host, port) => {
      const env = await route.proxyFor(host, port);
      return env?.['https_proxy'] ?? env?.['HTTPS_PROXY'] ?? null;
    },
  };
}

async function reveal(
  { tool, called }: AccessOwner,
  secret: string,
  host: string,
  { find }: AccessRoute,
): Promise<string> {
  const name = secret.replace(/^secret:/, '');
  const fix = `A person can set it: oka secrets set ${name} --tool ${tool} --host ${host}`;
  const found = await find(name);
  if (found === null) throw new OkaError('not-set-up', `there is no secret "${name}" for ${called}`, { fix });
  const plain = host.replace(/:\d+$/, '');
  if (!found.tools.includes(tool) || ![host, plain].some((each) => found.hosts.includes(each)))
    throw new OkaError('not-permitted', `the secret ${name} may not be given to ${called} for ${host}`, {
      fix,
    });
  return found.value;
}

function pinnedFetch({ proxyFor }: AccessRoute): ChannelFetch {
  const pinned = new Map<string, Promise<string>>();
  return async (url, ask, certificate) => {
    const secure = url.protocol === 'https:';
    const proxy = toProxy(await proxyFor(url.hostname, Number(url.port || (secure ? 443 : 80))));
    if (certificate === undefined || !secure) return toResponse(await send(url, ask, proxy));
    const key = `${url.host} ${certificate}`;
    const found = pinned.get(key) ?? readPinned(url, certificate, proxy, ask.signal);
    pinned.set(key, found);
    const pem = await found.catch((error: unknown) => {
      pinned.delete(key); // the next request checks again
      throw error;
    });
    return toResponse(await send(url, ask, { ...trustOnly(pem, certificate), ...proxy }));
  };
}

type Proxy = { proxyEnv?: Readonly<Record<string, string>> };
const toProxy = (proxyEnv: Readonly<Record<string, string>> | null): Proxy => (proxyEnv === null ? {} : { proxyEnv });

/** C3. Whoever shows another certificate is not connected to, so nothing is sent to them. */
const trustOnly = (pem: string, fingerprint: string): AgentOptions => ({
  ca: [pem],
  allowPartialTrustChain: true,
  checkServerIdentity: (_host, { fingerprint256 }) =>
    plainHex(fingerprint256) === plainHex(fingerprint) ? undefined : wrongCertificate(),
});

async function send(
  url: URL,
  { method, headers, body, signal }: ChannelRequest,
  agent: AgentOptions,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const bytes = body === undefined ? null : Buffer.from(body);
  const length = bytes === null ? {} : { 'content-length': String(bytes.length) };
  const options = { method, signal, headers: { ...headers, 'accept-encoding': 'identity', ...length } };
  const sent =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: new HttpsAgent(agent) }, resolve)
      : httpRequest(url, { ...options, agent: new HttpAgent(agent) }, resolve);
  sent.on('error', reject).end(bytes);
  return promise;
}

/** The certificate that the server shows to a request that contains nothing, if it is the pinned one; as PEM. */
async function readPinned(url: URL, fingerprint: string, proxy: Proxy, signal: AbortSignal): Promise<string> {
  const ask = { method: 'HEAD', headers: {}, signal };
  const response = await send(new URL('/', url), ask, { ...proxy, rejectUnauthorized: false });
  const { raw, fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
  response.destroy();
  if (plainHex(fingerprint256) !== plainHex(fingerprint)) throw wrongCertificate();
  return `-----BEGIN CERTIFICATE-----\n${raw.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

const wrongCertificate = (): OkaError =>
  new OkaError('refused', 'the certificate of the server is not the one that is pinned');

const plainHex = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();
