/**
 * Owns: mail.draft: a mail in the person's own folder of drafts, where they can read, change and send it themselves.
 *
 * D1 Its Message-ID follows from the call, so that after a crash the folder says whether it is there; none is there twice.
 * D2 An answer refers to the mail that it answers, so that it stands in its conversation.
 */
import { z } from 'zod';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { defineTool, failure, ok } from '../../../kit/define-tool.ts';
import { parseMail } from '../../../kit/mail/parse-mail.ts';
import { composeBytes } from '../../../kit/mail/smtp-client.ts';
import type { Account } from '../account-settings.ts';
import { type AccountsInUse, accountNamed } from '../ask-accounts.ts';
import type { OpenMailbox } from '../open-mailboxes.ts';
import { addressText, dateText, oneLine } from './mail-lines.ts';
import { parseMailName } from './mail-name.ts';
import { findMail, type ThreadMail } from './mail-thread.ts';
import { draftName, findDraft, messageIdFor, type StoredDraft } from './stored-draft.ts';

const Addresses = z.array(z.email().max(320)).max(100);

const Input = z.strictObject({
  account: z
    .string()
    .max(40)
    .optional()
    .describe('The account to write from; needed where there are several and it is no answer.'),
  reply: z.string().max(1000).optional().describe('The name of the mail that this answers.'),
  all: z.boolean().default(false).describe('With `reply`: also to everybody else who got that mail.'),
  forward: z.string().max(1000).optional().describe('The name of a mail whose text is added.'),
  to: Addresses.default([]).describe('Addresses; with `reply`, the sender of that mail when left out.'),
  cc: Addresses.default([]).describe('Addresses that get a copy.'),
  subject: z.string().max(500).optional().describe('Its subject; needed where it is no answer and no forwarded mail.'),
  text: z.string().min(1).max(100_000).describe('What it says, as plain text.'),
});
type Wanted = z.output<typeof Input>;

const Output = z.strictObject({
  draft: z.string().describe('Its name; mail.send takes it.'),
  sha256: z.string().describe('What it is, byte by byte; mail.send takes it.'),
  to: z.array(z.string()).describe('Everybody who would get it, copies too; mail.send takes them.'),
  subject: z.string().describe('Its subject.'),
});

export function mailDraftTool(accounts: AccountsInUse): Tool {
  return defineTool({
    name: 'mail.draft',
    about:
      "Puts a draft into the person's own folder of drafts: a new mail, an answer in its conversation, or a forwarded mail. Nothing is sent.",
    input: Input,
    output: Output,
    annotations: { read_only: false, idempotent: false, risk: 'low' },
    targets: [],
    allowedBy: 'the settings of the account (drafts)',
    class: 'external_mutation',
    witness: async ({ run, call, input }) => {
      const { account, settings } = accountFor(Input.parse(input), accounts);
      const id = messageIdFor(run, call, settings.address);
      const draft = await accounts.mailboxes.use(account, settings, AbortSignal.timeout(60_000), (box) =>
        findDraft(box, id),
      );
      if (draft !== null) return ok(outputOf(account, draft));
      return { status: 'failed', error: 'work stopped before the draft was stored', temporary: true };
    },
    act: (wanted, call) => write(wanted, accounts, call),
  });
}

async function write(wanted: Wanted, accounts: AccountsInUse, { run, call, signal }: ToolCall): Promise<Outcome> {
  const { account, settings } = accountFor(wanted, accounts);
  if (!settings.change.drafts)
    throw new OkaError('not-permitted', `oka may not put drafts into the account ${account}`, {
      fix: 'A person can allow it: "change": { "drafts": true } of this account in .oka/rules/accounts.json',
    });
  const id = messageIdFor(run, call, settings.address);
  return accounts.mailboxes.use(account, settings, signal, async (box) => {
    const before = await findDraft(box, id);
    if (before !== null) return ok(outputOf(account, before));
    const source = await composeDraft(box, settings, wanted, id);
    const own = await box.openOwn('drafts');
    await own?.client.append(own.folder, source, ['\\Draft', '\\Seen'], new Date());
    const draft = await findDraft(box, id);
    if (draft === null) throw new Error('the server took the draft, and it is not there');
    return ok(outputOf(account, draft));
  });
}

const outputOf = (account: string, { messageId, sha256, to, cc, subject }: StoredDraft): z.infer<typeof Output> => ({
  draft: draftName(account, messageId),
  sha256,
  to: [...to, ...cc],
  subject,
});

/** That of the mail which is answered, or the one that is named, or the only one. */
function accountFor(
  { reply, forward, account }: Wanted,
  { accounts }: AccountsInUse,
): { account: string; settings: Account } {
  const all = accounts();
  const named =
    account ?? parseMailName(reply ?? forward ?? '')?.account ?? (all.size === 1 ? [...all.keys()][0] : undefined);
  if (named === undefined) throw failure('there are several accounts', `Name one: ${[...all.keys()].join(', ')}.`);
  return { account: named, settings: accountNamed(all, named) };
}

async function composeDraft(box: OpenMailbox, settings: Account, wanted: Wanted, id: string): Promise<Buffer> {
  const answered = wanted.reply === undefined ? null : await mailNamed(box, wanted.reply);
  const forwarded = wanted.forward === undefined ? null : await mailNamed(box, wanted.forward);
  const { to, cc } = receiversOf(wanted, answered, settings.address);
  if (to.length === 0) throw failure('nobody would get this mail', 'Name whom it is to in `to`.');
  const subject = oneLine(wanted.subject ?? subjectAfter(answered, forwarded), 500);
  if (subject === '') throw failure('the mail has no subject', 'Say what it is about in `subject`.');
  const references =
    answered === null ? [] : [...answered.references, answered.messageId].filter((each) => each !== '');
  return composeBytes({
    from:
      settings.name === undefined ? settings.address : { name: oneLine(settings.name, 200), address: settings.address },
    to,
    cc,
    subject,
    messageId: id,
    date: new Date(),
    ...(answered === null || answered.messageId === '' ? {} : { inReplyTo: answered.messageId }),
    ...(references.length === 0 ? {} : { references: [...references.slice(0, 1), ...references.slice(1).slice(-20)] }),
    text: `${wanted.text.trimEnd()}\n${await quotedText(box, answered, forwarded)}`,
  });
}

async function mailNamed(box: OpenMailbox, name: string): Promise<ThreadMail> {
  const parsed = parseMailName(name);
  const mail = parsed === null || parsed.account !== box.account ? null : await findMail(box, parsed);
  if (mail === null) throw failure(`the mail ${name} is not there`, 'Search for it: mail.search.');
  return mail;
}

function receiversOf(wanted: Wanted, answered: ThreadMail | null, own: string): { to: string[]; cc: string[] } {
  const envelope = answered?.fetched.envelope;
  const plain = (list: readonly { address?: string | undefined }[] | undefined): string[] =>
    (list ?? []).flatMap(({ address = '' }) => (z.email().safeParse(address).success ? [address.toLowerCase()] : []));
  const replyTo = plain(envelope?.replyTo);
  const sender = replyTo.length > 0 ? replyTo : plain(envelope?.from);
  const isOwn = sender.every((address) => address === own.toLowerCase());
  // Whoever answers a mail of their own goes on writing to the same people.
  const answerTo = isOwn && answered !== null ? plain(envelope?.to) : sender;
  const named = (list: readonly string[]): string[] => [...new Set(list.map((address) => address.toLowerCase()))];
  const to = named(wanted.to.length > 0 ? wanted.to : answerTo);
  const others = wanted.all ? [...plain(envelope?.to), ...plain(envelope?.cc)] : [];
  const isNew = (address: string): boolean => address !== own.toLowerCase() && !to.includes(address);
  return {
    to,
    cc: [...new Set([...named(wanted.cc), ...others.filter(isNew)])].filter((address) => !to.includes(address)),
  };
}

function subjectAfter(answered: ThreadMail | null, forwarded: ThreadMail | null): string {
  const subject = (answered ?? forwarded)?.fetched.envelope?.subject ?? '';
  if (answered !== null) return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
  return forwarded === null || /^fwd?:/i.test(subject) ? subject : `Fwd: ${subject}`;
}

/** So much of the mail before; its receivers have all of it. */
const MOST_QUOTED = 5000;
const MOST_FORWARDED = 30_000;

async function quotedText(
  box: OpenMailbox,
  answered: ThreadMail | null,
  forwarded: ThreadMail | null,
): Promise<string> {
  const mail = forwarded ?? answered;
  if (mail === null) return '';
  const { envelope, internalDate } = mail.fetched;
  const { client } = await box.open(mail.folder);
  const fetched = await client.fetchOne(
    String(mail.uid),
    { source: { start: 0, maxLength: 1_048_576 } },
    { uid: true },
  );
  const source = (fetched && fetched.source) || null;
  const most = forwarded === null ? MOST_QUOTED : MOST_FORWARDED;
  const whole = (source === null ? null : await parseMail(source))?.text.trim() ?? '';
  const text = whole.length > most ? `${whole.slice(0, most)}\n[…]` : whole;
  const [from, date] = [addressText(envelope?.from), dateText(internalDate)];
  if (forwarded === null) return `\nOn ${date}, ${from} wrote:\n${text.replaceAll(/^/gm, '> ')}\n`;
  const subject = oneLine(envelope?.subject ?? '', 300);
  return `\n---------- Forwarded message ---------\nFrom: ${from}\nDate: ${date}\nSubject: ${subject}\nTo: ${addressText(envelope?.to)}\n\n${text}\n`;
}
