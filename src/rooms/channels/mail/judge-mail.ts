/**
 * Owns: what a mail is to us, judged by its header alone, before its body is fetched: an answer, a task, or nothing.
 * Pure.
 *
 * 1. The From line proves nothing. An answer needs the token of the question; a task needs the verdict of the operator's
 *    own server on DKIM, or the secret in the address.
 * 2. Mail of programs is never an answer or a task.
 * 3. A task has to name the task address in To or Cc, which its sender has written: a mail that somebody else passes on
 *    to that address is none.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isAligned, verifiedDomains } from './authentication-results.ts';
import { whyAutomatic } from './automatic-mail.ts';
import { type HeaderField, headerValue, headerValues } from '../../../kit/mail/mail-header.ts';
import { decodeHeaderText, parseAddresses } from '../../../kit/mail/parse-mail.ts';
import { findToken } from './reply-token.ts';

export type MailRules = {
  /** The address that oka writes from, and the one that replies go to. */
  from: string;
  replyTo: string;
  /** Who gets the messages, and so may answer them. */
  answerers: readonly string[];
  tasks: TaskRules | null;
  authservId: string | null;
};

type TaskRules = { address: string; senders: readonly string[]; secret: string | null };

export type MailVerdict =
  | { kind: 'answer'; token: string; from: string }
  | { kind: 'task'; from: string }
  /** `isOurs`: it was sent to one of our addresses, so that somebody may wonder why nothing happens. */
  | { kind: 'nothing'; reason: string; isOurs: boolean };

export function judgeMail(header: readonly HeaderField[], rules: MailRules): MailVerdict {
  const to = recipients(header, ['to', 'cc']);
  const token = findToken(
    [...to, ...recipients(header, ['delivered-to', 'x-original-to'])],
    subjectOf(header),
    rules.replyTo,
  );
  const isTask = rules.tasks !== null && to.some((address) => isAddress(address, rules.tasks?.address ?? ''));
  const isOurs = token !== null || isTask;
  const nothing = (reason: string): MailVerdict => ({ kind: 'nothing', reason, isOurs });
  if (!isOurs) return nothing('it is for somebody else');
  const automatic = whyAutomatic(header);
  if (automatic !== null) return nothing(automatic);
  const from = singleSender(header);
  if (from === null) return nothing('it does not have exactly one sender');
  if (from === rules.from.toLowerCase()) return nothing('oka sent it');
  return token === null ? judgeTask(header, from, to, rules) : judgeAnswer(header, from, token, rules);
}

export const subjectOf = (header: readonly HeaderField[]): string => decodeHeaderText(headerValue(header, 'subject'));

function judgeAnswer(header: readonly HeaderField[], from: string, token: string, rules: MailRules): MailVerdict {
  if (!includesAddress(rules.answerers, from))
    return { kind: 'nothing', reason: `${from} may not answer questions of oka`, isOurs: true };
  if (rules.authservId !== null && !isAuthentic(header, from, rules.authservId))
    return { kind: 'nothing', reason: notVerified(from, rules.authservId), isOurs: true };
  return { kind: 'answer', token, from };
}

function judgeTask(header: readonly HeaderField[], from: string, to: readonly string[], rules: MailRules): MailVerdict {
  const { tasks, authservId } = rules;
  if (tasks === null || !includesAddress(tasks.senders, from))
    return { kind: 'nothing', reason: `${from} may not send tasks`, isOurs: true };
  if (authservId !== null && isAuthentic(header, from, authservId)) return { kind: 'task', from };
  const { secret, address } = tasks;
  if (secret !== null && to.some((each) => isEqual(plusPart(each, address), secret.toLowerCase())))
    return { kind: 'task', from };
  const missing = [
    ...(authservId === null ? [] : [notVerified(from, authservId)]),
    ...(secret === null ? [] : ['the address does not contain the secret']),
  ];
  return { kind: 'nothing', reason: missing.join(', and ') || 'nothing proves who sent it', isOurs: true };
}

const isAuthentic = (header: readonly HeaderField[], from: string, authservId: string): boolean =>
  isAligned(from.slice(from.lastIndexOf('@') + 1), verifiedDomains(header, authservId));

const notVerified = (from: string, authservId: string): string =>
  `${authservId} has not verified that ${from} signed it (DKIM)`;

/** The one address of the one From field; null when there are several, or none that is plain. */
function singleSender(header: readonly HeaderField[]): string | null {
  const values = headerValues(header, 'from');
  const addresses = values.length === 1 ? parseAddresses(values[0] ?? '') : null;
  return addresses?.length === 1 ? (addresses[0] ?? null) : null;
}

const recipients = (header: readonly HeaderField[], names: readonly string[]): string[] =>
  names.flatMap((name) => headerValues(header, name).slice(0, 20)).flatMap((value) => parseAddresses(value) ?? []);

const includesAddress = (list: readonly string[], address: string): boolean =>
  list.some((each) => each.toLowerCase() === address);

/** Whether an address is this one, with or without something behind a `+`. */
const isAddress = (address: string, own: string): boolean => plusPart(address, own) !== null;

/** What stands behind the `+` of an address of ours; empty without one, null for another address. */
function plusPart(address: string, own: string): string | null {
  const [local = '', domain = ''] = own.toLowerCase().split('@');
  const [mine = '', its = ''] = address.toLowerCase().split('@');
  if (its !== domain) return null;
  if (mine === local) return '';
  return mine.startsWith(`${local}+`) ? mine.slice(local.length + 1) : null;
}

function isEqual(given: string | null, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== null && given !== '' && timingSafeEqual(digest(given), digest(secret));
}
