/** Owns: handing a mail to an SMTP server of a person. The only door to nodemailer. */
import { createTransport, type SendMailOptions } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { DeliveryOutcome } from '../../core/schema/channel-port.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { type MailRoute, type MailServer, tlsOptions } from './server-tls.ts';

const PATIENCE_MS = 30_000;

type MailToSend = SendMailOptions;

/** `isUnseen`: it broke off, and the server may have taken the mail. `refused` are receivers that the server did not take. */
type MailSent = DeliveryOutcome & { isUnseen?: true; refused?: string[] };

export async function handOver(
  mail: MailToSend,
  server: MailServer,
  route: MailRoute,
  signal: AbortSignal,
): Promise<MailSent> {
  let transport: Awaited<ReturnType<typeof openTransport>> | null = null;
  const stop = (): void => transport?.close();
  try {
    transport = await openTransport(server, route);
    signal.addEventListener('abort', stop);
    signal.throwIfAborted();
    const sent = await transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true });
    const rejected = (sent.rejected ?? []) as readonly (string | { address: string })[];
    const refused = rejected.map((each) => (typeof each === 'string' ? each : each.address));
    return { status: 'sent', ref: sent.messageId, ...(refused.length === 0 ? {} : { refused }) };
  } catch (error) {
    return {
      status: 'failed',
      reason: `${server.host}: ${messageOf(error)}`,
      isFinal: isRefused(error),
      ...(mayBeTaken(error) ? { isUnseen: true } : {}),
    };
  } finally {
    signal.removeEventListener('abort', stop);
    transport?.close();
  }
}

/** Logs in and sends nothing; throws what the server says. */
export async function tryLogin(server: MailServer, route: MailRoute, signal: AbortSignal): Promise<void> {
  const transport = await openTransport(server, route);
  const stop = (): void => transport.close();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    await transport.verify();
  } finally {
    signal.removeEventListener('abort', stop);
    transport.close();
  }
}

/** A mail as its bytes; nothing is fetched for it. */
export const composeBytes = (mail: MailToSend): Promise<Buffer> =>
  new MailComposer({ ...mail, newline: 'windows', disableFileAccess: true, disableUrlAccess: true }).compile().build();

async function openTransport(server: MailServer, route: MailRoute): Promise<ReturnType<typeof createTransport>> {
  const { host, port, security, user, password } = server;
  const proxy = await route.proxyFor(host, port);
  const auth =
    user === undefined || password === undefined ? {} : { auth: { user, pass: await route.reveal(password, host) } };
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: await tlsOptions(server, 'smtp', proxy),
    ...auth,
    ...(proxy === null ? {} : { proxy }),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: 2 * PATIENCE_MS,
  });
}

type SmtpError = { responseCode?: number; command?: string };

/** Whether the server refused this mail for good; a refused login can be mended. */
function isRefused(error: unknown): boolean {
  const { responseCode, command } = error as SmtpError;
  return (
    responseCode !== undefined && responseCode >= 550 && responseCode < 560 && /RCPT|MAIL|DATA/.test(command ?? '')
  );
}

/** Only a server that answers has refused; else it may have taken the mail. */
const mayBeTaken = (error: unknown): boolean => (error as SmtpError).responseCode === undefined;
