/**
 * Owns: mail.send: handing one draft to the server, once.
 *
 * S1 What was approved is sent, byte by byte: the call names the draft's hash and everybody who gets it, and a draft that
 *    was changed since, or that cannot be shown whole, is not sent.
 * S2 It keeps its Message-ID. After a crash the folder of sent mail says whether it has gone; where it does not, that is in
 *    doubt, and a person is asked. It is never sent a second time by itself.
 *    Mails go one after the other, so that two calls about one draft do not send it twice.
 * S3 Only a failure before the server got anything, or an answer that refuses, is a failure.
 */
import { z } from 'zod';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { CallPreview, Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { defineTool, failure, ok } from '../../../kit/define-tool.ts';
import { handOver } from '../../../kit/mail/smtp-client.ts';
import { oneAtATime } from '../../../kit/pause.ts';
import type { Account } from '../account-settings.ts';
import { type AccountsInUse, accountNamed } from '../ask-accounts.ts';
import type { OpenMailbox } from '../open-mailboxes.ts';
import { tryToSend } from '../try-to-send.ts';
import { findByMessageId, findDraft, parseDraftName, type StoredDraft, wroteTo } from './stored-draft.ts';

const Input = z.strictObject({
  to: z.array(z.email().max(320)).min(1).max(200).describe('Everybody who gets it, as mail.draft has given them.'),
  draft: z.string().min(3).max(300).describe('The name of the draft, from mail.draft.'),
  sha256: z.string().length(64).describe('What it is, as mail.draft has given it.'),
});
type Sending = z.output<typeof Input>;

const Output = z.strictObject({
  sent: z.string().describe('The Message-ID of the mail.'),
  to: z.array(z.string()).describe('Who gets it.'),
  note: z.string().optional().describe('What did not work besides.'),
});

/** A longer mail cannot be shown to the person whole, and what is not shown is not approved. */
const MOST_SHOWN = 40_000;
const MOST_RECEIVERS = 30;
/** A question shows a text in parts. */
const PART = /[\s\S]{1,8000}/gu;

export function mailSendTool(accounts: AccountsInUse): Tool {
  const inTurn = oneAtATime();
  return defineTool({
    name: 'mail.send',
    about:
      'Sends one draft, exactly as it is. A person is asked each time and sees the whole mail; it cannot be undone.',
    input: Input,
    output: Output,
    annotations: { read_only: false, destructive: true, idempotent: false, risk: 'high' },
    targets: ['to'],
    asksEachTime: true,
    class: 'external_mutation',
    preview: (input, signal) => preview(Input.parse(input), accounts, signal),
    witness: async ({ input }) => {
      const asked = Input.parse(input);
      const { messageId } = parseDraftName(asked.draft);
      return withDraftAccount(asked, accounts, AbortSignal.timeout(60_000), async (box) =>
        (await isSent(box, messageId)) ? sentBefore(asked, null) : null,
      );
    },
    act: (asked, call) => inTurn(() => send(asked, accounts, call)),
  });
}

function withDraftAccount<T>(
  { draft }: Sending,
  { accounts, mailboxes }: AccountsInUse,
  signal: AbortSignal,
  act: (box: OpenMailbox, settings: Account) => Promise<T>,
): Promise<T> {
  const { account } = parseDraftName(draft);
  const settings = accountNamed(accounts(), account);
  return mailboxes.use(account, settings, signal, (box) => act(box, settings));
}

/** The draft, if it is still what the call says. */
async function approvedDraft(box: OpenMailbox, { draft, sha256, to }: Sending): Promise<StoredDraft> {
  const { messageId } = parseDraftName(draft);
  const found = await findDraft(box, messageId);
  if (found === null && (await isSent(box, messageId)))
    throw failure('this mail has been sent already', 'There is nothing left to do.');
  if (found === null) throw failure('the draft is not in the folder of drafts any more', WRITE_AGAIN);
  if (found.sha256 !== sha256)
    throw failure('the draft is another one than this call says: somebody has changed it', WRITE_AGAIN);
  if (found.more !== null) throw failure(`the draft cannot be shown whole: ${found.more}`, PERSON_SENDS);
  const receivers = [...new Set([...found.to, ...found.cc])].toSorted();
  const named = [...new Set(to.map((address) => address.toLowerCase()))].toSorted();
  if (JSON.stringify(receivers) !== JSON.stringify(named))
    throw failure(
      `the draft goes to ${receivers.join(', ')}, and not to whom this call says`,
      'Name everybody who gets it in `to`.',
    );
  return found;
}

const WRITE_AGAIN = 'Write it again: mail.draft.';
const PERSON_SENDS = 'It is among the drafts, where the person can send it.';

function preview(asked: Sending, accounts: AccountsInUse, signal: AbortSignal): Promise<CallPreview> {
  return withDraftAccount(asked, accounts, signal, async (box, { address }) => {
    const draft = await approvedDraft(box, asked);
    const { to, cc, subject, text } = draft;
    if (to.length + cc.length > MOST_RECEIVERS)
      throw failure(`the mail goes to ${to.length + cc.length} people, too many to be shown`, PERSON_SENDS);
    if (text.length > MOST_SHOWN)
      throw failure(`the mail has ${text.length} characters, too many to be shown whole`, PERSON_SENDS);
    const known = await wroteTo(box, [...to, ...cc]);
    const line = (what: string, each: string): string =>
      `${what}: ${each}${known === null || known.has(each) ? '' : ' (never written to before)'}`;
    const parts = text.match(PART) ?? [''];
    return {
      changes: [
        ...to.map((each) => line('To', each)),
        ...cc.map((each) => line('Copy to', each)),
        `From: ${address}`,
        `Subject: ${subject}`,
        'A mail that was sent cannot be undone.',
      ],
      contents: parts.map((part, index) => ({
        path: parts.length === 1 ? 'The mail' : `The mail, part ${index + 1} of ${parts.length}`,
        why: 'this is all that its receivers get',
        text: part,
      })),
    };
  });
}

async function isSent(box: OpenMailbox, messageId: string): Promise<boolean> {
  const own = await box.openOwn('sent');
  return own !== null && (await findByMessageId(own.client, messageId)) !== null;
}

/** It has gone, whatever does not work afterwards. */
function sentBefore({ draft, to }: Sending, left: string | null): Outcome {
  const unknown = to.length === 1 ? null : 'which of its receivers the server refused, if any, was not recorded';
  return wasSent(parseDraftName(draft).messageId, to, [unknown, left]);
}

function wasSent(messageId: string, to: readonly string[], notes: readonly (string | null)[]): Outcome {
  const note = notes.filter((each) => each !== null).join('; ');
  return ok({ sent: messageId, to, ...(note === '' ? {} : { note }) });
}

/** Why it did not work, if so. */
const problemOf = (tried: Promise<void>, what: string): Promise<string | null> =>
  tried.then(
    () => null,
    (error: unknown) => `${what}: ${messageOf(error)}`,
  );

async function send(asked: Sending, accounts: AccountsInUse, { signal }: ToolCall): Promise<Outcome> {
  return withDraftAccount(asked, accounts, signal, async (box, settings) => {
    const { messageId } = parseDraftName(asked.draft);
    if (await isSent(box, messageId))
      return sentBefore(asked, await problemOf(discardDraft(box, messageId), 'its draft could not be removed'));
    const draft = await approvedDraft(box, asked);
    const { smtp } = settings;
    if (smtp === undefined)
      throw new OkaError('not-set-up', `the account ${box.account} has no server to send by`, {
        fix: 'A person can name it: "smtp" of this account in .oka/rules/accounts.json. The draft is among the drafts.',
      });
    const route = accounts.mailboxes.access(box.account);
    await tryToSend(box.account, smtp, route, signal);
    const mail = { envelope: { from: settings.address, to: asked.to }, raw: draft.source };
    const sent = await handOver(mail, smtp, route, signal);
    if (sent.status === 'failed')
      return sent.isUnseen === true
        ? { status: 'failed', error: `${sent.reason}; the mail may have gone`, unseen: true }
        : { status: 'failed', error: sent.reason, temporary: false };
    const refused = sent.refused ?? [];
    const unfiled = 'it was sent, and could not be moved from drafts to sent mail';
    return wasSent(
      messageId,
      asked.to.filter((each) => !refused.includes(each)),
      [
        refused.length === 0 ? null : `${smtp.host} refused these receivers, who get nothing: ${refused.join(', ')}`,
        await problemOf(fileAway(box, draft), unfiled),
      ],
    );
  });
}

/** A copy among the sent mails, unless the server has put it there, and no draft any more. */
async function fileAway(box: OpenMailbox, { messageId, source }: StoredDraft): Promise<void> {
  const own = await box.openOwn('sent');
  if (own !== null && (await findByMessageId(own.client, messageId)) === null)
    await own.client.append(own.folder, source, ['\\Seen'], new Date());
  await discardDraft(box, messageId);
}

async function discardDraft(box: OpenMailbox, messageId: string): Promise<void> {
  const drafts = await box.openOwn('drafts');
  const uid = drafts === null ? null : await findByMessageId(drafts.client, messageId);
  if (uid !== null) await drafts?.client.messageDelete(String(uid), { uid: true });
}
