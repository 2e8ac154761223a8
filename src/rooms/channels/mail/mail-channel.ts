/** Owns: e-mail as a channel: messages and questions by SMTP, answers and tasks by IMAP. */
import type { MailChannel } from './mail-settings.ts';
import type { Channel, ChannelInbox, ChannelTools, DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import { messageOf } from '../../../core/schema/errors.ts';
import { composeMail, declineMail } from './compose-mail.ts';
import { openMailbox } from './imap-client.ts';
import type { MailRules } from './judge-mail.ts';
import { receiveMail } from './receive-mail.ts';
import { sendMail } from './send-channel-mail.ts';

export function openMailChannel(settings: MailChannel, tools: ChannelTools): Channel {
  const { smtp, imap } = settings;
  const canDecline = hourlyLimit(MOST_DECLINED);
  const send: Channel['announce'] = (message, signal) => sendMail(composeMail(message, settings), smtp, tools, signal);
  return {
    announce: async (message, signal) => {
      const sent = await send(message, signal);
      return message.kind === 'test' && sent.status === 'sent'
        ? ((await mailboxProblem(settings, tools, signal)) ?? sent)
        : sent;
    },
    ask: send,
    canUpdate: true, // by a reply in the thread of the mail before
    // A mail cannot be changed: whoever answered elsewhere reads that in a second one.
    close: (message, signal) =>
      message.replaces?.answeredHere === true ? Promise.resolve({ status: 'sent', ref: null }) : send(message, signal),
    ...(imap === undefined
      ? {}
      : { receive: (inbox, signal) => receive({ settings, imap, tools, canDecline }, inbox, signal) }),
  };
}

const MOST_DECLINED = 10;

function hourlyLimit(most: number): () => boolean {
  let [hour, count] = [0, 0];
  return () => {
    const now = Math.floor(Date.now() / 3_600_000);
    [hour, count] = [now, hour === now ? count + 1 : 1];
    return count <= most;
  };
}

/** A test also tries the mailbox; null when it can be read, or none is configured. */
async function mailboxProblem(
  { imap }: MailChannel,
  tools: ChannelTools,
  signal: AbortSignal,
): Promise<DeliveryOutcome | null> {
  if (imap === undefined) return null;
  try {
    (await openMailbox(imap, tools, signal)).close();
    return null;
  } catch (error) {
    const reason = `the mail was sent, but the mailbox at ${imap.host} cannot be read: ${messageOf(error)}`;
    return { status: 'failed', reason, isFinal: true };
  }
}

type Receiving = {
  settings: MailChannel;
  imap: NonNullable<MailChannel['imap']>;
  tools: ChannelTools;
  /** Whether another polite refusal may be sent: a forged sender must not flood somebody. */
  canDecline: () => boolean;
};

/** Ends at the signal, which closes the connection whatever the server is asked at the time. */
async function receive(receiving: Receiving, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  try {
    await receiveUntilClosed(receiving, inbox, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function receiveUntilClosed(
  { settings, imap, tools, canDecline }: Receiving,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<void> {
  const rules = await rulesOf(settings, imap.host, tools);
  const mailbox = await openMailbox(imap, tools, signal);
  inbox.ready();
  try {
    await receiveMail(
      {
        mailbox,
        rules,
        inbox,
        limits: {
          perHour: settings.tasks?.per_hour ?? 0,
          attachmentBytes: (settings.tasks?.attachment_mb ?? 0) * 1024 * 1024,
        },
        decline: async (mail) => {
          if (!canDecline()) return;
          const sent = await sendMail(declineMail(mail, settings), settings.smtp, tools, signal);
          if (sent.status === 'failed') inbox.log(`the sender of a refused mail was not informed: ${sent.reason}`);
        },
        clock: Date.now,
      },
      signal,
    );
  } finally {
    mailbox.close();
  }
}

async function rulesOf(
  { from, to, reply_to, tasks }: MailChannel,
  host: string,
  tools: ChannelTools,
): Promise<MailRules> {
  return {
    from,
    replyTo: reply_to ?? from,
    answerers: [...to, ...(tasks?.senders ?? [])],
    authservId: tasks?.authserv_id ?? null,
    tasks:
      tasks === undefined
        ? null
        : {
            address: tasks.address,
            senders: tasks.senders,
            secret: tasks.address_secret === undefined ? null : await tools.reveal(tasks.address_secret, host),
          },
  };
}
