/** Owns: how a message of oka is written as a mail: the answer first, plain text and simple HTML, in the thread it belongs to. Pure. */
import { createHash } from 'node:crypto';
import type { MailChannel } from './mail-settings.ts';
import type { ChannelMessage, ChannelQuestion, MessageFile } from '../../../core/schema/channel-port.ts';
import { ANSWER } from '../../../kit/text/languages.ts';
import { subjectOf } from './judge-mail.ts';
import { headerValue } from '../../../kit/mail/mail-header.ts';
import type { DeclinedMail } from './receive-mail.ts';
import { REPLY_ABOVE } from '../../../kit/mail/reply-text.ts';
import { subjectWithToken, withToken } from './reply-token.ts';

export type OutgoingMail = {
  from: string;
  to: string[];
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  inReplyTo?: string;
  references?: string[];
  headers: Record<string, string>;
  attachments: readonly MessageFile[];
};

/** A question has `buttons`; `textToken` of it is the token of a reply in words. */
export function composeMail(message: ChannelMessage | ChannelQuestion, settings: MailChannel): OutgoingMail {
  const question = 'wait' in message ? message : null;
  const replyTo = settings.reply_to ?? settings.from;
  const token = question?.textToken ?? null;
  const subject = oneLine(subjectFor(message));
  const { attached, left } = chooseAttachments(message.files, settings.attach_mb);
  const text = mailText(message, question, left, replyTo);
  const thread = threadFor(message, settings);
  return {
    from: settings.from,
    to: message.origin?.from ? [message.origin.from] : settings.to,
    ...(token === null ? {} : { replyTo: settings.reply_token === 'subject' ? replyTo : withToken(replyTo, token) }),
    subject: token !== null && settings.reply_token === 'subject' ? subjectWithToken(subject, token) : subject,
    text,
    html: htmlOf(text),
    messageId: messageIdOf(message.delivery, settings.from),
    ...thread,
    headers: {
      'Auto-Submitted': message.origin === null ? 'auto-generated' : 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
      'X-Oka-Delivery': message.delivery,
    },
    attachments: attached,
  };
}

/** Follows from the delivery, so that a mail that is sent twice is recognised as the same one. */
export const messageIdOf = (delivery: string, from: string): string =>
  `<oka.${createHash('sha256').update(`${from}\n${delivery}`).digest('hex').slice(0, 40)}@${from.split('@')[1] ?? 'oka.invalid'}>`;

function subjectFor({ title, origin }: ChannelMessage): string {
  const subject = origin?.thread?.subject;
  return subject === undefined || subject === '' ? title : /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}

/** A reply refers to the mail that brought the task; news about an earlier message refers to that one. */
function threadFor(message: ChannelMessage, settings: MailChannel): Pick<OutgoingMail, 'inReplyTo' | 'references'> {
  const thread = message.origin?.thread;
  if (thread !== undefined && thread !== null && thread.message !== '')
    return { inReplyTo: thread.message, references: [...thread.references, thread.message] };
  if (message.replaces === null) return { references: [messageIdOf(`thread/${message.thread}`, settings.from)] };
  const before = messageIdOf(message.replaces.delivery, settings.from);
  return { inReplyTo: before, references: [messageIdOf(`thread/${message.thread}`, settings.from), before] };
}

function mailText(
  message: ChannelMessage,
  question: ChannelQuestion | null,
  left: readonly MessageFile[],
  replyTo: string,
): string {
  const parts = [
    // Everything below this line is ours, also where a mail program quotes without marks.
    ...(typeof question?.textToken === 'string' ? [REPLY_ABOVE] : []),
    message.body.trim() === '' ? message.title : answerFirst(message.body.trim()),
    ...(left.length === 0 ? [] : [`Not attached: ${left.map(({ name }) => name).join(', ')}`]),
    ...(message.link === null ? [] : [message.link]),
    ...(question === null ? [] : howToAnswer(question, replyTo)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * A result as it is read in a mail: the subject has its title, the answer comes first, and links to files of the home
 * are names.
 */
const ANSWERED = new RegExp(`^## ${ANSWER}\\n+([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm');

function answerFirst(page: string): string {
  const text = page.replace(/^# [^\n]*\n+/, '').replaceAll(/!?\[([^\]\n]*)\]\((?!https?:|mailto:)[^)\s]*\)/g, '$1');
  const answer = ANSWERED.exec(text);
  if (answer === null) return text;
  const rest = text.slice(0, answer.index) + text.slice(answer.index + answer[0].length);
  return `${(answer[1] ?? '').trim()}\n\n${rest.trim()}`.trim();
}

function howToAnswer({ buttons, textToken, expires }: ChannelQuestion, replyTo: string): string[] {
  const choices = buttons.map(({ label, token }) => `- ${label}: send a mail to ${withToken(replyTo, token)}`);
  return [
    ...(textToken === null
      ? []
      : ['Reply to this mail to answer. Only what you write yourself counts, not what is quoted.']),
    ...(choices.length === 0 ? [] : [`${textToken === null ? 'To answer' : 'Or'}:\n${choices.join('\n')}`]),
    ...(expires === null ? [] : [`It can be answered until ${expires}.`]),
  ];
}

/** Small files first, as many as fit. */
function chooseAttachments(
  files: readonly MessageFile[],
  megabytes: number,
): { attached: MessageFile[]; left: MessageFile[] } {
  let room = megabytes * 1024 * 1024;
  const fits = new Set<MessageFile>();
  for (const file of files.toSorted((a, b) => a.bytes - b.bytes)) {
    if (fits.size === MOST_ATTACHED || file.bytes > room) break;
    fits.add(file);
    room -= file.bytes;
  }
  return { attached: files.filter((file) => fits.has(file)), left: files.filter((file) => !fits.has(file)) };
}

const MOST_ATTACHED = 20;

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 300);

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Paragraphs, and blocks of code as they are; there are no links, images or styles of the text's own. */
function htmlOf(text: string): string {
  const blocks = text.trim().split(/^(```[^\n]*\n[\s\S]*?\n```)$/m);
  const html = blocks.map((block) => {
    if (block.startsWith('```')) return `<pre>${escapeHtml(block.replaceAll(/^```[^\n]*\n|\n```$/g, ''))}</pre>`;
    const paragraphs = block.split(/\n{2,}/).filter((each) => each.trim() !== '');
    return paragraphs.map((each) => `<p>${escapeHtml(each.trim()).replaceAll('\n', '<br>\n')}</p>`).join('\n');
  });
  return `<!doctype html>\n<html><body>\n${html.join('\n')}\n</body></html>\n`;
}

/** A polite reply to a task that is not done, or an answer that does not count. */
export function declineMail({ from, header, reason }: DeclinedMail, settings: MailChannel): OutgoingMail {
  const subject = subjectOf(header);
  const text = `${reason}\n\nYour mail is still in the mailbox, and nothing was done with it.\n`;
  const before = /<[^<>\s]{1,900}>/.exec(headerValue(header, 'message-id'))?.[0];
  return {
    from: settings.from,
    to: [from],
    subject: oneLine(/^re:/i.test(subject) ? subject : `Re: ${subject}`),
    text,
    html: htmlOf(text),
    messageId: messageIdOf(`declined/${before ?? subject}`, settings.from),
    ...(before === undefined ? {} : { inReplyTo: before, references: [before] }),
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
    attachments: [],
  };
}
