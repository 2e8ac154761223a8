/** .oka/rules/channels.json: by which channels oka reaches people, what is announced there, and when. */
import { z } from 'zod';
import { SideEffectClass } from './effect.ts';

/** A part of the names of deliveries, secrets (`--tool channels.<name>`) and files. */
export const CHANNEL_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export const AnnouncementKind = z
  .enum(['needs_you', 'done', 'failed', 'digest', 'budget'])
  .describe('What a message is about.');
export type AnnouncementKind = z.infer<typeof AnnouncementKind>;

const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
  .describe('A time of the day, such as 08:00.');
const SecretText = z
  .string()
  .regex(/^secret:[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/)
  .describe('A secret of the vault, written as `secret:NAME`.');
const Address = z.url({ protocol: /^https?$/ }).max(2000);
const Fingerprint = z
  .string()
  .regex(/^([0-9a-f]{2}:?){31}[0-9a-f]{2}$/i)
  .describe(
    'The SHA-256 fingerprint of a private certificate. Only this certificate is accepted; without it, the authorities of the machine decide.',
  );

const shared = {
  announce: z
    .array(AnnouncementKind)
    .max(5)
    .optional()
    .describe('What is announced here, if it is not what `announce` says for all channels.'),
  content: z
    .enum(['full', 'title'])
    .default('full')
    .describe('title: messages name the task and nothing else: no question, no answer, no file.'),
  disabled: z.boolean().default(false).describe('Whether the channel is left out.'),
};

export const NtfyChannel = z
  .strictObject({
    kind: z.literal('ntfy').describe('A topic of an ntfy server.'),
    url: Address.describe('The server, such as https://ntfy.example.org.'),
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/)
      .describe('The topic that your phone subscribes to.'),
    token: SecretText.optional().describe('Its access token, written as `secret:NAME`; it writes to the topic.'),
    answers: z
      .strictObject({
        topic: z
          .string()
          .regex(/^[-_A-Za-z0-9]{1,64}$/)
          .describe('The topic that answers are written to.'),
        button_token: SecretText.optional().describe(
          'A token that may only write to this topic. Every subscriber sees it, since it is part of the buttons.',
        ),
        token: SecretText.optional().describe('A token that may read this topic; `token` when left out.'),
      })
      .optional()
      .describe('Left out, messages have no buttons and nothing is received.'),
    certificate: Fingerprint.optional(),
    ...shared,
  })
  .describe('Notifications through ntfy.');
export type NtfyChannel = z.infer<typeof NtfyChannel>;

const MailServer = {
  host: z.string().min(1).max(253).describe('Its name or address.'),
  port: z.int().min(1).max(65_535).describe('Its port.'),
  security: z.enum(['tls', 'starttls', 'none']).default('tls').describe('none is possible on this machine only.'),
  user: z.string().min(1).max(320).optional().describe('The name to log in with.'),
  password: SecretText.optional().describe('The password, written as `secret:NAME`.'),
  certificate: Fingerprint.optional(),
};
const MailAddress = z.email().max(320);

export const MailChannel = z
  .strictObject({
    kind: z.literal('mail').describe('E-mail.'),
    from: MailAddress.describe('The address that oka writes from.'),
    to: z.array(MailAddress).min(1).max(20).describe('Who gets the messages.'),
    smtp: z.strictObject(MailServer).describe('The server that mail is handed to.'),
    imap: z
      .strictObject({
        ...MailServer,
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
    ...shared,
  })
  .describe('Messages and tasks by e-mail.');
export type MailChannel = z.infer<typeof MailChannel>;

const CommandChannel = z
  .strictObject({
    kind: z.literal('command').describe('A program of yours.'),
    command: z
      .array(z.string().max(4000))
      .min(1)
      .max(50)
      .describe('The program and its arguments. It gets the message as JSON ({title, body, type, link}) on its input.'),
    timeout: z.number().positive().max(600).default(30).describe('It is ended after so many seconds.'),
    ...shared,
  })
  .describe('Messages through a program that you wrote or chose. It runs with your rights, outside of the sandbox.');
type CommandChannel = z.infer<typeof CommandChannel>;

export const AppriseChannel = z
  .strictObject({
    kind: z.literal('apprise').describe('An Apprise server, or anything that takes {title, body, type} as JSON.'),
    url: Address.describe('Where messages are posted to, such as http://apprise.lan:8000/notify/oka.'),
    token: SecretText.optional().describe('Sent as a bearer token.'),
    tag: z.string().min(1).max(200).optional().describe('The tag of the services that Apprise notifies.'),
    certificate: Fingerprint.optional(),
    ...shared,
  })
  .describe('Messages through Apprise, which knows a hundred services.');
export type AppriseChannel = z.infer<typeof AppriseChannel>;

export const WebhookChannel = z
  .strictObject({
    kind: z.literal('webhook').describe('A signed POST.'),
    url: Address.describe('Where it is posted to.'),
    secret: SecretText.describe('The key of the signature (Standard Webhooks).'),
    certificate: Fingerprint.optional(),
    ...shared,
  })
  .describe('Messages to a program of yours: signed, and with the same id when they are sent again.');
export type WebhookChannel = z.infer<typeof WebhookChannel>;

export const PushChannel = z
  .strictObject({
    kind: z.literal('push').describe('Web Push to browsers and phones that have the dashboard installed.'),
    contact: z
      .string()
      .regex(/^(mailto:|https:)/)
      .max(320)
      .describe('How the push service reaches you, such as mailto:you@example.org; it is part of every request.'),
    hosts: z
      .array(z.string().min(1).max(253))
      .max(20)
      .default([])
      .describe('Hosts of push services besides those of the known browsers.'),
    ...shared,
  })
  .describe('Web Push. It needs the dashboard over https, and the push service of the browser.');
export type PushChannel = z.infer<typeof PushChannel>;

export const DesktopChannel = z
  .strictObject({ kind: z.literal('desktop').describe('Notifications of this desktop.'), ...shared })
  .describe('Notifications of the desktop that the worker runs on, where there is a command for them.');
export type DesktopChannel = z.infer<typeof DesktopChannel>;

export const ChannelSettings = z
  .discriminatedUnion('kind', [
    NtfyChannel,
    MailChannel,
    CommandChannel,
    AppriseChannel,
    WebhookChannel,
    PushChannel,
    DesktopChannel,
  ])
  .describe('One channel.');
export type ChannelSettings = z.infer<typeof ChannelSettings>;

export const ChannelPolicy = z
  .strictObject({
    announce: z.array(AnnouncementKind).max(5).default(['needs_you']).describe('What is announced.'),
    quiet: z
      .strictObject({ from: Time, to: Time })
      .optional()
      .describe('No message is sent between these times; what came up is sent afterwards, as one message.'),
    time_zone: z.string().max(80).optional().describe('For all times here; that of the machine when left out.'),
    digest_at: Time.default('08:00').describe('When the digest of the day before is sent, where it is announced.'),
    escalation: z
      .strictObject({
        after_minutes: z
          .number()
          .positive()
          .max(10_080)
          .default(30)
          .describe('Unanswered for so long, a question goes to the next channel; after the last one it is repeated.'),
        reminders: z.int().min(0).max(2).default(2).describe('How often it is repeated.'),
        finally: z
          .enum(['deny', 'wait'])
          .default('deny')
          .describe('deny: an approval is denied in the end, and a question gets its default answer, if it has one.'),
      })
      .optional()
      .describe('Left out, a question goes to all channels at once, and is not repeated.'),
    approve_by_button: z
      .array(SideEffectClass.exclude(['deny']))
      .max(3)
      .default([])
      .describe('Classes of calls that may be approved from a message. Denying is always possible.'),
    per_hour: z
      .int()
      .min(2)
      .max(600)
      .default(30)
      .describe('How many messages a channel gets in an hour at most; more is put together.'),
    desktop: z
      .boolean()
      .default(true)
      .describe(
        'Whether `oka up` on a terminal of a desktop shows notifications there, as long as there is no channel.',
      ),
    dashboard: Address.optional().describe('The address of the dashboard as your phone sees it; messages link to it.'),
    heartbeat: z
      .strictObject({
        url: Address.describe('Asked for by GET. Whoever owns it notices when it is silent.'),
        every_minutes: z.number().min(1).max(10_080).default(1440).describe('How often.'),
      })
      .optional()
      .describe('So that a worker that is dead is noticed elsewhere.'),
  })
  .describe('What applies to all channels.');
export type ChannelPolicy = z.infer<typeof ChannelPolicy>;

export const ChannelsFile = ChannelPolicy.extend({
  channels: z
    .record(z.string(), ChannelSettings)
    .default({})
    .describe('Channels by name, in the order in which a question escalates.'),
}).describe('.oka/rules/channels.json: how oka reaches you.');

/** The settings of one channel, or what is wrong with them. */
export function readChannelEntry(name: string, entry: unknown): ChannelSettings | string {
  if (!CHANNEL_NAME.test(name)) return 'its name has to consist of at most 40 lower-case letters, digits, - and _';
  const read = ChannelSettings.safeParse(entry);
  return read.success ? read.data : z.prettifyError(read.error).replaceAll('\n', ' ');
}

/** What applies to all channels, or what is wrong with it. */
export function readChannelPolicy(entry: unknown): ChannelPolicy | string {
  const read = ChannelPolicy.safeParse(entry);
  return read.success ? read.data : z.prettifyError(read.error).replaceAll('\n', ' ');
}
