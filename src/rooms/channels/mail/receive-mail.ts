/**
 * Owns: reading the mailbox: which mails are answers or tasks, handing them over, and leaving all others as they are.
 *
 * 1. A mail is judged by its header; the body of one that is nothing to us is never fetched.
 * 2. What is handed over is durable before the mail is marked as read, and has an id that follows from the mail: after a
 *    crash in between it is recognised, also under another number (UIDVALIDITY).
 * 3. A mail that is not handled stays unread, in its place.
 */
import type { ChannelInbox } from '../../../core/schema/channel-port.ts';
import type { Mailbox, MailHead } from './imap-client.ts';
import { judgeMail, type MailRules, type MailVerdict } from './judge-mail.ts';
import { type HeaderField, parseMailHeader } from '../../../kit/mail/mail-header.ts';
import { mailId, mailToTask } from './mail-to-task.ts';
import { parseMail } from '../../../kit/mail/parse-mail.ts';
import { splitReply } from '../../../kit/mail/reply-text.ts';

type Reception = {
  mailbox: Mailbox;
  rules: MailRules;
  inbox: ChannelInbox;
  limits: { perHour: number; attachmentBytes: number };
  /** Informs the sender politely why nothing is done. */
  decline: (mail: DeclinedMail) => Promise<void>;
  clock: () => number;
};

export type DeclinedMail = { from: string; header: readonly HeaderField[]; reason: string };

const POLL_MS = 5 * 60_000;
const BATCH = 200;
const HOUR_MS = 3_600_000;
/** Enough for the text of a reply; what is attached to it does not matter. */
const ANSWER_BYTES = 2 * 1024 * 1024;
const MOST_LOGGED = 20;

/** Until the signal; rejects when the connection fails. */
export async function receiveMail(reception: Reception, signal: AbortSignal): Promise<void> {
  const { mailbox, rules } = reception;
  const session: Session = { ...reception, checked: new Set(), logged: 0 };
  const own = [rules.replyTo, ...(rules.tasks === null ? [] : [rules.tasks.address])];
  const words = [...new Set(own.map((address) => address.split('@')[0] ?? ''))];
  while (!signal.aborted) {
    const found = (await mailbox.find([...words, '[oka '])).filter((uid) => !session.checked.has(uid));
    for (let at = 0; at < found.length && !signal.aborted; at += BATCH)
      for (const head of await headsOf(mailbox, found.slice(at, at + BATCH))) {
        if (signal.aborted) return;
        await handleMail(head, session);
      }
    await mailbox.nextChange(POLL_MS, signal);
  }
}

/** `checked` are the numbers of mails that are settled in this session. */
type Session = Reception & { checked: Set<number>; logged: number };

async function headsOf(mailbox: Mailbox, uids: readonly number[]): Promise<MailHead[]> {
  const heads: MailHead[] = [];
  for await (const head of mailbox.headers(uids)) heads.push(head);
  return heads.toSorted((a, b) => a.uid - b.uid);
}

async function handleMail(head: MailHead, session: Session): Promise<void> {
  const { mailbox, inbox, checked } = session;
  const header = parseMailHeader(head.header);
  const verdict: MailVerdict =
    header === null
      ? { kind: 'nothing', reason: 'its header is too large', isOurs: true }
      : judgeMail(header, session.rules);
  if (header === null || verdict.kind === 'nothing') {
    checked.add(head.uid);
    if (verdict.kind === 'nothing' && verdict.isOurs) logOnce(session, `a mail was left as it is: ${verdict.reason}`);
    return;
  }
  const id = mailId(header, `${mailbox.validity}/${head.uid}`);
  if (!inbox.isKnown(id)) {
    if (verdict.kind === 'task' && !hasRoom(session, verdict.from)) return;
    await (verdict.kind === 'answer'
      ? handOverAnswer(head, id, { ...verdict, header }, session)
      : handOverTask(head, id, { ...verdict, header }, session));
  }
  await mailbox.markRead(head.uid);
  checked.add(head.uid);
}

async function handOverAnswer(
  head: MailHead,
  id: string,
  { token, from, header }: { token: string; from: string; header: readonly HeaderField[] },
  session: Session,
): Promise<void> {
  const source = await session.mailbox.source(head.uid, ANSWER_BYTES);
  const parsed = source === null ? null : await parseMail(source);
  const { own } = splitReply(parsed?.text ?? '');
  const { became, reason } = await session.inbox.answer({ message: id, token, text: own, from });
  if (became === 'nothing') await session.decline({ from, header, reason: `Your answer does not count: ${reason}.` });
}

async function handOverTask(
  head: MailHead,
  id: string,
  { from, header }: { from: string; header: readonly HeaderField[] },
  session: Session,
): Promise<void> {
  const { inbox, limits, mailbox } = session;
  const refuse = async (reason: string): Promise<void> => {
    await inbox.refuse({ message: id, from, reason });
    await session.decline({ from, header, reason: `Your mail did not become a task. ${reason}` });
  };
  // In a mail, a file is a third larger than on a disk.
  const most = Math.ceil(limits.attachmentBytes * 1.4) + ANSWER_BYTES;
  const largest = `${Math.round(limits.attachmentBytes / 104_857.6) / 10} MB`;
  if (head.bytes > most) return refuse(`What is attached is larger than ${largest} together.`);
  const source = await mailbox.source(head.uid, most);
  const parsed = source === null ? null : await parseMail(source);
  if (parsed === null) return refuse('The mail cannot be read: its structure is broken.');
  const size = parsed.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > limits.attachmentBytes) return refuse(`What is attached is larger than ${largest} together.`);
  const task = mailToTask(header, parsed, { id, from });
  if (task === null) return refuse('The mail contains neither a subject nor a text.');
  const { became, reason } = await inbox.task(task);
  if (became === 'nothing')
    await session.decline({ from, header, reason: `Your mail did not become a task: ${reason}.` });
}

/** Whether a sender may send another task within this hour; one that may not is read again later. */
function hasRoom(session: Session, from: string): boolean {
  const count = session.inbox.tasksSince(from, session.clock() - HOUR_MS);
  if (count < session.limits.perHour) return true;
  logOnce(session, `${from} has sent ${count} tasks within an hour; further ones wait`);
  return false;
}

/** Strangers can cause these lines, so there are few of them. */
function logOnce(session: Session, line: string): void {
  session.logged += 1;
  if (session.logged <= MOST_LOGGED) session.inbox.log(line);
}
