/** The entry of a channel of the kind mail in channels.json. */
import { z } from 'zod';
import { mailServerSettings, SecretText } from '../../../core/schema/server-settings.ts';
import { sharedSettings } from '../channel-definition.ts';

const MailAddress = z.email().max(320);

export const MailChannel = z
  .strictObject({
    kind: z.literal('mail').describe('E-mail.'),
    from: MailAddress.describe('The address that oka writes from.'),
    to: z.array(MailAddress).min(1).max(20).describe('Who gets the messages.'),
    smtp: z.strictObject(mailServerSettings).describe('The server that mail is handed to.'),
    imap: z
      .strictObject({
        ...mailServerSettings,
        mailbox: z.string().min(1).max(200).default('INBOX').describe('The mailbox that is read.'),
      })
      .optional()
      .describe('The server that mail is read from. Left out, nothing is received.'),
    reply_to: MailAddress.optional().describe('Where replies go, if not to `from`; a nonce is added behind a `+`.'),
    reply_token: z
      .enum(['address', 'subject'])
      .default('address')
      .describe('Where the nonce is: subject, if your mail server does not deliver addresses with a `+`.'),
    tasks: z
      .strictObject({
        address: MailAddress.describe('New mail to this address becomes a task.'),
        senders: z.array(MailAddress).min(1).max(100).describe('Who may send tasks.'),
        authserv_id: z
          .string()
          .min(1)
          .max(253)
          .optional()
          .describe('How your own mail server names itself in Authentication-Results; its verdict on DKIM counts.'),
        address_secret: SecretText.optional().describe(
          'A secret that is part of the address (task+SECRET@…), if your server does not check DKIM.',
        ),
        per_hour: z.int().min(1).max(1000).default(20).describe('How many tasks one sender may send in an hour.'),
        attachment_mb: z.number().positive().max(100).default(20).describe('The largest attachment that is accepted.'),
      })
      .optional()
      .describe('Left out, mail never becomes a task.'),
    attach_mb: z.number().min(0).max(50).default(5).describe('Results up to this size are attached.'),
    ...sharedSettings,
  })
  .describe('Messages and tasks by e-mail.');
export type MailChannel = z.infer<typeof MailChannel>;
