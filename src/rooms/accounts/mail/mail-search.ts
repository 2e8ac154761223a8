/** Owns: mail.search: what to ask a server for, and its answer as short lines, newest first. */
import { z } from 'zod';
import type { Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { failure, ok } from '../../../kit/define-tool.ts';
import type { FetchedMail, ImapConnection, MailFilter, MailPart } from '../../../kit/mail/imap-connection.ts';
import { type AccountsInUse, type Asked, askAccounts } from '../ask-accounts.ts';
import type { OpenMailbox } from '../open-mailboxes.ts';
import { readingTool } from '../reading-tool.ts';
import { isFolder } from './mail-folders.ts';
import { mailName } from './mail-name.ts';
import { addressText, attachmentsIn, dateText, oneLine } from './mail-lines.ts';

const Day = z.iso.date();
const Words = z.string().trim().min(1).max(300);

const Input = z.strictObject({
  account: z.string().max(40).optional().describe('One account; all when left out.'),
  folder: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('One folder, such as inbox or sent; all that may be read when left out.'),
  from: Words.optional().describe('A sender: an address or a part of a name.'),
  to: Words.optional().describe('A receiver, in To or Cc.'),
  person: Words.optional().describe('Whoever wrote it or got it.'),
  subject: Words.optional().describe('Words of the subject.'),
  text: Words.optional().describe('Words anywhere in the mail.'),
  since: Day.optional().describe('Received on this day or later: 2026-05-01.'),
  before: Day.optional().describe('Received before this day.'),
  unread: z.boolean().optional().describe('Only unread mails, or only read ones.'),
  flagged: z.boolean().optional().describe('Only flagged mails, or only others.'),
  answered: z.boolean().optional().describe('Only answered mails, or only others.'),
  attachment: z.literal(true).optional().describe('Only mails with attachments.'),
  limit: z.int().min(1).max(100).default(20).describe('How many mails.'),
});
type Search = z.output<typeof Input>;

const Found = z.strictObject({
  mail: z.string().describe('Its name; read it with mail.read.'),
  folder: z.string().describe('The folder it is in.'),
  from: z.string().describe('Who it says it is from.'),
  to: z.string().describe('To whom.'),
  subject: z.string().describe('Its subject.'),
  date: z.string().describe('When it was received.'),
  unread: z.literal(true).optional().describe('Nobody has read it yet.'),
  flagged: z.literal(true).optional().describe('It is flagged.'),
  answered: z.literal(true).optional().describe('It was answered.'),
  attachments: z.array(z.string()).optional().describe('Names of what is attached.'),
});
type Found = z.infer<typeof Found>;

const Output = z.strictObject({
  mails: z.array(Found).describe('The newest first.'),
  found: z.int().describe('How many there are; with `attachment`, how many until there were enough.'),
  note: z.string().optional().describe('What could not be searched.'),
});

export function mailSearchTool(accounts: AccountsInUse): Tool {
  return readingTool({
    name: 'mail.search',
    about:
      "Searches the person's mailboxes on their servers, by person, subject, words, date and state, and lists mails with their names. Reads nothing and marks nothing.",
    input: Input,
    output: Output,
    act: (asked, call) => search(asked, accounts, call),
  });
}

async function search(asked: Search, accounts: AccountsInUse, call: ToolCall): Promise<Outcome> {
  const answered: Asked<Hits> = await askAccounts(accounts.accounts(), asked.account, call, (name, settings) =>
    accounts.mailboxes.use(name, settings, call.signal, (box) => searchMailbox(box, asked)),
  );
  const mails = answered.answers
    .flatMap(({ hits }) => hits)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, asked.limit)
    .map(({ line }) => line);
  const found = answered.answers.reduce((sum, { count }) => sum + count, 0);
  return ok({ mails, found, ...(answered.note === null ? {} : { note: answered.note }) });
}

type Hits = { count: number; hits: { at: number; line: Found }[] };

async function searchMailbox(box: OpenMailbox, asked: Search): Promise<Hits> {
  const { folder } = asked;
  const folders = folder === undefined ? box.folders : box.folders.filter((each) => isFolder(each, folder));
  if (folders.length === 0 && folder !== undefined)
    throw failure(
      `the account ${box.account} shows oka no folder "${folder}"`,
      `It shows ${box.folders.map(({ path }) => path).join(', ')}.`,
    );
  const all: Hits = { count: 0, hits: [] };
  for (const { path } of folders) {
    const { client, validity } = await box.open(path);
    const uids = (await client.search(filterOf(asked), { uid: true })) || [];
    const wanted = asked.attachment === true ? await withAttachments(client, uids, asked.limit) : uids;
    all.count += wanted.length;
    const latest = wanted.slice(-asked.limit);
    if (latest.length === 0) continue;
    for await (const mail of client.fetch(latest.join(','), LINE, { uid: true }))
      all.hits.push({
        at: new Date(mail.internalDate ?? 0).getTime(),
        line: lineOf(mail, mailName({ account: box.account, validity, uid: mail.uid, folder: path }), path),
      });
  }
  return all;
}

const LINE = { uid: true, envelope: true, flags: true, internalDate: true, bodyStructure: true };

/** Servers cannot say which mails have attachments: of those that can have some, the newest are looked at. */
async function withAttachments(client: ImapConnection, uids: readonly number[], limit: number): Promise<number[]> {
  const found: number[] = [];
  const oldest = Math.max(0, uids.length - MOST_LOOKED_AT);
  for (let end = uids.length; end > oldest && found.length < limit; end -= PORTION) {
    const portion = uids.slice(Math.max(0, end - PORTION), end);
    const here: number[] = [];
    for await (const mail of client.fetch(portion.join(','), { uid: true, bodyStructure: true }, { uid: true }))
      if (hasAttachment(mail.bodyStructure)) here.push(mail.uid);
    found.unshift(...here.toSorted((a, b) => a - b));
  }
  return found;
}

const PORTION = 200;
const MOST_LOOKED_AT = 5000;

const hasAttachment = (part: MailPart | undefined): boolean => attachmentsIn(part).length > 0;

function filterOf(asked: Search): MailFilter {
  const { from, subject, text, unread, flagged, answered } = asked;
  const either: MailFilter[][] = [
    ...(asked.to === undefined ? [] : [[{ to: asked.to }, { cc: asked.to }]]),
    ...(asked.person === undefined ? [] : [[{ from: asked.person }, { to: asked.person }, { cc: asked.person }]]),
    ...(asked.attachment === true
      ? [[{ header: { 'content-type': 'multipart/' } }, { header: { 'content-type': 'application/' } }]]
      : []),
  ];
  return {
    deleted: false,
    ...(from === undefined ? {} : { from }),
    ...(subject === undefined ? {} : { subject }),
    ...(text === undefined ? {} : { text }),
    ...(unread === undefined ? {} : { seen: !unread }),
    ...(flagged === undefined ? {} : { flagged }),
    ...(answered === undefined ? {} : { answered }),
    ...(asked.since === undefined ? {} : { since: asked.since }),
    ...(asked.before === undefined ? {} : { before: asked.before }),
    ...allOf(either),
  };
}

/** A filter has one "or": (a or b) and (c or d) is (a and (c or d)) or (b and (c or d)). */
function allOf([first, ...others]: readonly MailFilter[][]): MailFilter {
  if (first === undefined) return {};
  const rest = allOf(others);
  if (rest.or === undefined) return { or: first };
  return { or: first.map((each) => ({ ...each, ...rest })) };
}

function lineOf(mail: FetchedMail, name: string, folder: string): Found {
  const { envelope, flags, internalDate, bodyStructure } = mail;
  const attachments = attachmentsIn(bodyStructure);
  return {
    mail: name,
    folder,
    from: addressText(envelope?.from),
    to: addressText(envelope?.to),
    subject: oneLine(envelope?.subject ?? '', 300),
    date: dateText(internalDate ?? envelope?.date),
    ...(flags?.has('\\Seen') === true ? {} : { unread: true }),
    ...(flags?.has('\\Flagged') === true ? { flagged: true } : {}),
    ...(flags?.has('\\Answered') === true ? { answered: true } : {}),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map((each) => each.name) }),
  };
}
