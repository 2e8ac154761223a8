/** Owns: handing a mail to the SMTP server of the operator. The only door to nodemailer. */
import { createTransport } from 'nodemailer';
import type { ChannelTools, DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import { messageOf } from '../../../core/schema/errors.ts';
import type { OutgoingMail } from './compose-mail.ts';
import { type MailServer, tlsOptions } from '../../../kit/mail/server-tls.ts';

const PATIENCE_MS = 30_000;

export async function sendMail(
  mail: OutgoingMail,
  server: MailServer,
  tools: ChannelTools,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  let transport: Awaited<ReturnType<typeof openTransport>> | null = null;
  const stop = (): void => transport?.close();
  try {
    transport = await openTransport(server, tools);
    signal.addEventListener('abort', stop);
    signal.throwIfAborted();
    const { attachments, ...rest } = mail;
    const files = attachments.flatMap(({ name, read }) => {
      const content = read();
      return content === null ? [] : [{ filename: name, content: Buffer.from(content) }];
    });
    const sent = await transport.sendMail({
      ...rest,
      attachments: files,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return { status: 'sent', ref: sent.messageId };
  } catch (error) {
    return { status: 'failed', reason: `${server.host}: ${messageOf(error)}`, isFinal: isRefused(error) };
  } finally {
    signal.removeEventListener('abort', stop);
    transport?.close();
  }
}

async function openTransport(server: MailServer, tools: ChannelTools): Promise<ReturnType<typeof createTransport>> {
  const { host, port, security, user, password } = server;
  const proxy = await tools.proxyFor(host, port);
  const auth =
    user === undefined || password === undefined ? {} : { auth: { user, pass: await tools.reveal(password, host) } };
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

/** Whether the server refused this mail for good; a refused login can be mended. */
function isRefused(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  return (
    responseCode !== undefined && responseCode >= 550 && responseCode < 560 && /RCPT|MAIL|DATA/.test(command ?? '')
  );
}
