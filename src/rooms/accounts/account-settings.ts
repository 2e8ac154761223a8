/** The entries of .oka/rules/accounts.json: mailboxes and calendars of a person, and what oka may see in them. */
import { z } from 'zod';
import { Fingerprint, mailServerSettings, SecretText } from '../../core/schema/server-settings.ts';
import { isThisMachine } from '../../kit/mail/this-machine.ts';

/** A part of the names of mails and of secrets' tools. */
const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

const Names = z.array(z.string().min(1).max(500)).max(500);

const CalendarServer = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine(isEncrypted, 'it has to begin with https, except on this machine, and cannot contain a login')
    .describe('Its address, as your provider calls it for calendars (CalDAV). oka searches for calendars below it.'),
  user: z.string().min(1).max(320).optional().describe('The name to log in with.'),
  password: SecretText.optional().describe('The password, written as `secret:NAME`.'),
  certificate: Fingerprint.optional(),
});
export type CalendarServer = z.infer<typeof CalendarServer>;

export const Account = z
  .strictObject({
    address: z.email().max(320).describe('The address that mail is written from.'),
    name: z.string().min(1).max(200).optional().describe('Your name, as it stands before the address.'),
    imap: z.strictObject(mailServerSettings).describe('The server of the mailbox.'),
    smtp: z
      .strictObject(mailServerSettings)
      .optional()
      .describe('The server that mail is handed to. Left out, nothing is sent.'),
    caldav: CalendarServer.optional().describe('The server of your calendars. Left out, there are none.'),
    see: z
      .strictObject({
        folders: Names.default(['inbox', 'sent', 'drafts']).describe(
          'Folders that oka may read: inbox, sent, drafts, archive, junk or trash, or a name as the server has it; * for all.',
        ),
        calendars: Names.default(['*']).describe('Calendars that oka may read, by their names; * for all.'),
      })
      .default({ folders: ['inbox', 'sent', 'drafts'], calendars: ['*'] })
      .describe('What oka may see. Everything else does not exist for it.'),
    change: z
      .strictObject({
        drafts: z
          .boolean()
          .default(true)
          .describe('Whether oka may put drafts into your folder of drafts without asking.'),
        calendars: Names.default([]).describe(
          'Calendars that oka may write to, by their names; * for all that it may read. It asks before each change.',
        ),
      })
      .default({ drafts: true, calendars: [] })
      .describe('What oka may change. It never sends anything without a yes.'),
    disabled: z.boolean().default(false).describe('Whether the account is left out.'),
  })
  .describe('An account of yours.');
export type Account = z.infer<typeof Account>;

function isEncrypted(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isThisMachine(url.hostname);
}

export const AccountsFile = z
  .strictObject({
    accounts: z.record(z.string().regex(ACCOUNT_NAME), Account).default({}).describe('Accounts by name.'),
  })
  .describe('.oka/rules/accounts.json: the mailboxes and calendars that oka may look into.');

/** An account as it is read, or what is wrong with its entry. */
export function readAccount(name: string, entry: unknown): Account | string {
  if (!ACCOUNT_NAME.test(name)) return 'its name has to consist of at most 40 lower-case letters, digits, - and _';
  const read = Account.safeParse(entry);
  return read.success ? read.data : z.prettifyError(read.error).replaceAll('\n', ' ');
}
