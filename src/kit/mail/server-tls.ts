/**
 * Owns: how a server of mail, or of XMPP, proves that it is the right one.
 *
 * 1. There is always encryption, except to this machine.
 * 2. A pinned certificate is the only one that is accepted, whoever signed it. It is fetched by a handshake that sends
 *    nothing, compared with the fingerprint, and is then the only authority of the real connection.
 */
import { once } from 'node:events';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import type { ChannelTools } from '../../core/schema/channel-port.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { isThisMachine } from './this-machine.ts';

/** A server of mail, as the settings of a channel or an account name it. */
export type MailServer = {
  host: string;
  port: number;
  security: 'tls' | 'starttls' | 'none';
  user?: string | undefined;
  /** The name of a secret, as `secret:NAME`. */
  password?: string | undefined;
  /** The fingerprint of a private certificate. */
  certificate?: string | undefined;
  /** Whom the certificate is for, where that is not the host. */
  name?: string;
};

/** What a connection needs from the home: the password that is meant for a host, and the proxy that leads there. */
export type MailRoute = Pick<ChannelTools, 'reveal' | 'proxyFor'>;

type Protocol = 'smtp' | 'imap' | 'xmpp';

/** Options for the client of the server; empty where the authorities of the machine decide. */
export async function tlsOptions(
  server: MailServer,
  protocol: Protocol,
  proxy: string | null,
): Promise<ConnectionOptions> {
  const { host, security, certificate } = server;
  if (security === 'none' && !isThisMachine(host))
    throw new OkaError(
      'not-set-up',
      `${host} is not on this machine, so messages and the password would go there in plain text`,
      {
        fix: 'Set "security" of this server to "tls" or "starttls"; a private certificate is pinned by "certificate".',
      },
    );
  const name = nameOf(server);
  if (security === 'none' || certificate === undefined) return name;
  const pinned = plainFingerprint(certificate);
  const pem = await fetchCertificate(server, protocol, proxy, pinned);
  return {
    ...name,
    ca: [pem],
    allowPartialTrustChain: true,
    // The fingerprint says more than the name.
    checkServerIdentity: (_, { fingerprint256 }) =>
      plainFingerprint(fingerprint256) === pinned ? undefined : new Error(otherCertificate(host)),
  };
}

const nameOf = ({ host, name = host }: MailServer): { servername?: string } =>
  isIP(name) === 0 ? { servername: name } : {};

/** A connection that is encrypted, to a server that has proved who it is; ends with the signal while it is made. */
export async function connectSecurely(
  server: MailServer,
  protocol: Protocol,
  proxy: string | null,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const options = await tlsOptions(server, protocol, proxy);
  const late = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)]);
  const plain = await openSocket(server.host, server.port, proxy, late);
  try {
    if (server.security === 'starttls') await startTls(plain, server, protocol, late);
    const secure = connectTls({ socket: plain, ...options });
    await once(secure, 'secureConnect', { signal: late });
    return secure;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

const plainFingerprint = (text: string): string => text.replaceAll(':', '').toLowerCase();
const otherCertificate = (host: string): string =>
  `${host} has another certificate than the one that is pinned; nothing was sent to it`;

/** Throws when it is not the pinned one. */
async function fetchCertificate(
  server: MailServer,
  protocol: Protocol,
  proxy: string | null,
  pinned: string,
): Promise<string> {
  const { host, port } = server;
  const late = AbortSignal.timeout(HANDSHAKE_MS);
  const plain = await openSocket(host, port, proxy, late);
  try {
    if (server.security === 'starttls') await startTls(plain, server, protocol, late);
    // Everything is refused below, unless the fingerprint is the pinned one.
    const secure = connectTls({
      socket: plain,
      rejectUnauthorized: false,
      ...nameOf(server),
    });
    try {
      await once(secure, 'secureConnect', { signal: late });
      const found = secure.getPeerX509Certificate();
      if (found === undefined || plainFingerprint(found.fingerprint256) !== pinned)
        throw new Error(otherCertificate(host));
      return found.toString();
    } finally {
      secure.destroy();
    }
  } catch (error) {
    throw new OkaError('not-set-up', late.aborted ? `${host}:${port} did not answer` : messageOf(error), {
      fix: `See the certificate with: openssl s_client -connect ${host}:${port} | openssl x509 -noout -fingerprint -sha256`,
      cause: error,
    });
  } finally {
    plain.destroy();
  }
}

const HANDSHAKE_MS = 20_000;

async function openSocket(host: string, port: number, proxy: string | null, signal: AbortSignal): Promise<Socket> {
  const via = proxy === null ? null : new URL(proxy);
  const socket =
    via === null ? connectSocket({ host, port }) : connectSocket({ host: via.hostname, port: Number(via.port) });
  await once(socket, 'connect', { signal }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  if (via === null) return socket;
  const login = Buffer.from(`${decodeURIComponent(via.username)}:${decodeURIComponent(via.password)}`).toString(
    'base64',
  );
  socket.write(
    `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\nProxy-Authorization: Basic ${login}\r\n\r\n`,
  );
  const answer = await readUntil(socket, /\r\n\r\n$/, signal);
  if (!/^HTTP\/1\.\d 200/.test(answer))
    throw new Error(`the egress proxy refused ${host}:${port}: ${answer.slice(0, 200)}`);
  return socket;
}

/** The few words before the handshake of STARTTLS. */
async function startTls(
  socket: Socket,
  { host, name = host }: MailServer,
  protocol: Protocol,
  signal: AbortSignal,
): Promise<void> {
  const words = WORDS[protocol].map(([say, until]) => [say.replace('HOST', name), until] as const);
  for (const [say, until] of words) {
    if (say !== '') socket.write(say);
    await readUntil(socket, until, signal);
  }
}

async function readUntil(socket: Socket, end: RegExp, signal: AbortSignal): Promise<string> {
  let text = '';
  while (!end.test(text)) {
    if (text.length > 16_384) throw new Error('the server does not begin with what was expected');
    const ended = once(socket, 'end', { signal }).then(() => Promise.reject(new Error('the server hung up')));
    ended.catch(() => {}); // only the first of the two counts
    const [chunk] = (await Promise.race([once(socket, 'data', { signal }), ended])) as [Buffer];
    text += chunk.toString('latin1');
  }
  return text;
}

const WORDS: Readonly<Record<Protocol, readonly (readonly [say: string, until: RegExp])[]>> = {
  imap: [
    ['', /^\* OK[^\n]*\n$/],
    ['oka STARTTLS\r\n', /^oka OK[^\n]*\n$/m],
  ],
  smtp: [
    ['', /^220 [^\n]*\n$/m],
    ['EHLO localhost\r\n', /^250 [^\n]*\n$/m],
    ['STARTTLS\r\n', /^220 [^\n]*\n$/m],
  ],
  xmpp: [
    [
      "<stream:stream to='HOST' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
      /<\/stream:features>$/,
    ],
    ["<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", /<proceed[^>]*(?:\/|><\/proceed)>$/],
  ],
};
