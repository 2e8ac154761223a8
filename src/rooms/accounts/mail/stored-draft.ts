/** Owns: a draft of oka in the person's folder of drafts: named by its Message-ID, compared by its bytes. */
import { createHash } from 'node:crypto';
import { OkaError } from '../../../core/schema/errors.ts';
import {
  type HeaderField,
  headerValue,
  headerValues,
  MOST_HEADER_BYTES,
  parseMailHeader,
} from '../../../kit/mail/mail-header.ts';
import { decodeHeaderText, parseAddresses, parseMail } from '../../../kit/mail/parse-mail.ts';
import type { ImapConnection } from '../../../kit/mail/imap-connection.ts';
import type { OpenMailbox } from '../open-mailboxes.ts';

export type StoredDraft = {
  uid: number;
  source: Buffer;
  sha256: string;
  messageId: string;
  to: string[];
  cc: string[];
  subject: string;
  text: string;
  /** Why what its receivers get is more than is shown here; null for what oka writes. */
  more: string | null;
};

const MOST_BYTES = 25 * 1024 * 1024;

/** Fixed before anything is written, so that a draft and a mail are found again whatever happens in between. */
export const messageIdFor = (run: string, call: string, address: string): string =>
  `<oka.${createHash('sha256').update(`${run}\n${call}`).digest('hex').slice(0, 40)}@${address.split('@')[1] ?? 'oka.invalid'}>`;

export const draftName = (account: string, messageId: string): string => `${account}/${messageId}`;

export function parseDraftName(name: string): { account: string; messageId: string } {
  const [, account, messageId] = /^([a-z0-9_-]+)\/(<[^<>\s"\\]{1,250}>)$/.exec(name) ?? [];
  if (account === undefined || messageId === undefined)
    throw new OkaError('usage', `"${name.slice(0, 200)}" names no draft`, { fix: 'Write one first: mail.draft.' });
  return { account, messageId };
}

/** The newest with this Message-ID in the folder that is open. */
export async function findByMessageId(client: ImapConnection, messageId: string): Promise<number | null> {
  const found = await client.search({ header: { 'message-id': messageId }, deleted: false }, { uid: true });
  return (found || []).at(-1) ?? null;
}

/** Null when it is not there. */
export async function findDraft(box: OpenMailbox, messageId: string): Promise<StoredDraft | null> {
  const own = await box.openOwn('drafts');
  if (own === null)
    throw new OkaError('not-set-up', `the account ${box.account} has no folder for drafts`, {
      fix: 'A person has to create one, such as Drafts, in their mail program.',
    });
  const uid = await findByMessageId(own.client, messageId);
  if (uid === null) return null;
  const fetched = await own.client.fetchOne(
    String(uid),
    { source: { start: 0, maxLength: MOST_BYTES } },
    { uid: true },
  );
  const source = (fetched && fetched.source) || null;
  return source === null || source.length >= MOST_BYTES ? null : readDraft(uid, source);
}

async function readDraft(uid: number, source: Buffer): Promise<StoredDraft> {
  const header = parseMailHeader(source.subarray(0, MOST_HEADER_BYTES - 1));
  const valueOf = (name: string): string => headerValue(header ?? [], name);
  const parsed = await parseMail(source);
  const people = (name: string): string[] => parseAddresses(valueOf(name)) ?? [];
  return {
    uid,
    source,
    sha256: createHash('sha256').update(source).digest('hex'),
    messageId: valueOf('message-id'),
    to: people('to'),
    cc: people('cc'),
    subject: decodeHeaderText(valueOf('subject')),
    text: parsed?.text.trim() ?? '',
    more: header === null || parsed === null ? 'it cannot be read' : moreIn(header),
  };
}

function moreIn(header: readonly HeaderField[]): string | null {
  const type = headerValue(header, 'content-type');
  if (!/^text\/plain\b/i.test(type)) return `it is not plain text (${type.slice(0, 100)})`;
  if (headerValues(header, 'bcc').length > 0) return 'it has hidden receivers (Bcc)';
  const areOdd = (field: string): boolean => {
    const values = headerValues(header, field);
    return values.length > 1 || parseAddresses(values[0] ?? '') === null;
  };
  return ['to', 'cc'].some(areOdd) ? 'it has unusual addresses' : null;
}

const MOST_LOOKED = 100;

/** Whether the person has ever written to an address, by their folder of sent mail; null where there is none. */
export async function wroteTo(box: OpenMailbox, addresses: readonly string[]): Promise<Set<string> | null> {
  const own = await box.openOwn('sent');
  if (own === null) return null;
  const known = new Set<string>();
  for (const address of addresses) {
    // The server looks for a part of an address, so that it also finds others that end or begin alike.
    const found = (await own.client.search({ or: [{ to: address }, { cc: address }] }, { uid: true })) || [];
    if (found.length === 0) continue;
    const mails = await own.client.fetchAll(found.slice(-MOST_LOOKED).join(','), { envelope: true }, { uid: true });
    const isIt = (each: { address?: string | undefined }): boolean => each.address?.toLowerCase() === address;
    if (mails.some(({ envelope }) => [...(envelope?.to ?? []), ...(envelope?.cc ?? [])].some(isIt))) known.add(address);
  }
  return known;
}
