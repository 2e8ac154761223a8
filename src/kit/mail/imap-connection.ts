/** Owns: a connection to an IMAP server, encrypted, through the egress proxy where there is one. The only door to imapflow. */
import { ImapFlow, type FetchMessageObject, type MessageStructureObject, type SearchObject } from 'imapflow';
import { type MailRoute, type MailServer, tlsOptions } from './server-tls.ts';

export type ImapConnection = ImapFlow;
export type MailFilter = SearchObject;
export type FetchedMail = FetchMessageObject;
export type MailPart = MessageStructureObject;

const PATIENCE_MS = 30_000;
/** Shorter than the time after which proxies and routers forget a connection. */
const IDLE_MS = 90_000;

/** Not connected yet, so that whoever wants one may listen to it first. */
export async function newImapConnection(server: MailServer, route: MailRoute): Promise<ImapConnection> {
  const { host, port, security, user, password } = server;
  const proxy = await route.proxyFor(host, port);
  return new ImapFlow({
    host,
    port,
    secure: security === 'tls',
    ...(security === 'starttls' ? { doSTARTTLS: true } : security === 'none' ? { doSTARTTLS: false } : {}),
    tls: await tlsOptions(server, 'imap', proxy),
    ...(user === undefined
      ? {}
      : { auth: { user, pass: password === undefined ? '' : await route.reveal(password, host) } }),
    ...(proxy === null ? {} : { proxy }),
    logger: false,
    maxIdleTime: IDLE_MS,
    autoIdleDelay: 200,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    maxLineLength: 4 * 1024 * 1024,
    maxLiteralSize: 256 * 1024 * 1024,
    maxResponseSize: 300 * 1024 * 1024,
  });
}

/** Says what the server has said: the client says "Command failed" where the server has said why. */
export async function askingImap<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { responseText } = error as { responseText?: string };
    throw responseText === undefined ? error : new Error(responseText.slice(0, 500), { cause: error });
  }
}
