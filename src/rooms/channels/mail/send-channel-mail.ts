/** Owns: handing a message of a channel to the SMTP server of the operator. */
import type { ChannelTools, DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import type { MailServer } from '../../../kit/mail/server-tls.ts';
import { handOver } from '../../../kit/mail/smtp-client.ts';
import type { OutgoingMail } from './compose-mail.ts';

export async function sendMail(
  { attachments, ...mail }: OutgoingMail,
  server: MailServer,
  tools: ChannelTools,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const files = attachments.flatMap(({ name, read }) => {
    const content = read();
    return content === null ? [] : [{ filename: name, content: Buffer.from(content) }];
  });
  const sent = await handOver({ ...mail, attachments: files }, server, tools, signal);
  if (sent.status === 'sent') return { status: 'sent', ref: sent.ref };
  return { status: 'failed', reason: sent.reason, isFinal: sent.isFinal === true };
}
