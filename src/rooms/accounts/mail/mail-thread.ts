/** Owns: which mails belong to one conversation: what a mail refers to, and what refers to it, in every folder that may be read. */
import type { FetchedMail, ImapConnection, MailFilter } from '../../../kit/mail/imap-connection.ts';
import { headerValue, MOST_HEADER_BYTES, parseMailHeader } from '../../../kit/mail/mail-header.ts';
import type { OpenMailbox } from '../open-mailboxes.ts';
import { mailName } from './mail-name.ts';

/** A mail of a conversation, without its text. */
export type ThreadMail = {
  name: string;
  folder: string;
  uid: number;
  messageId: string;
  references: string[];
  at: number;
  fetched: FetchedMail;
};

/** A conversation may be of any length; one that is longer is shown by its newest mails. */
const MOST_MAILS = 50;
/** Message-IDs that one search names. */
const MOST_IDS = 20;

/** Null when the mail is not there any more. */
export async function findMail(
  box: OpenMailbox,
  { folder, validity, uid }: { folder: string; validity: string; uid: number },
): Promise<ThreadMail | null> {
  const opened = await box.open(folder);
  if (opened.validity !== validity) return null;
  return (await fetchHeads(box, opened.client, { folder, validity }, [uid]))[0] ?? null;
}

/** The mails around this one, the oldest first; `more` says how many older ones are left out. */
export async function findThread(box: OpenMailbox, start: ThreadMail): Promise<{ mails: ThreadMail[]; more: number }> {
  const known = new Map<string, ThreadMail>([[keyOf(start), start]]);
  const ids = [start.messageId, ...start.references].filter((id) => id !== '');
  const asked = [...new Set([...ids.slice(0, 1), ...ids.slice(-MOST_IDS), ...start.references.slice(0, 1)])];
  let more = 0;
  for (const { path } of asked.length === 0 ? [] : box.folders) {
    const { client, validity } = await box.open(path);
    const uids = (await client.search(aboutIds(asked), { uid: true })) || [];
    more += Math.max(0, uids.length - MOST_MAILS);
    for (const mail of await fetchHeads(box, client, { folder: path, validity }, uids.slice(-MOST_MAILS)))
      if (!known.has(keyOf(mail))) known.set(keyOf(mail), mail);
  }
  const mails = [...known.values()].toSorted((a, b) => a.at - b.at);
  return { mails: mails.slice(-MOST_MAILS), more: more + Math.max(0, mails.length - MOST_MAILS) };
}

/** The same mail in two folders counts once. */
const keyOf = ({ messageId, name }: ThreadMail): string => (messageId === '' ? name : messageId);

const aboutIds = (ids: readonly string[]): MailFilter => ({
  deleted: false,
  or: ids.flatMap((id): MailFilter[] => [
    { header: { 'message-id': id } },
    { header: { references: id } },
    { header: { 'in-reply-to': id } },
  ]),
});

const HEAD = {
  uid: true,
  envelope: true,
  flags: true,
  internalDate: true,
  bodyStructure: true,
  size: true,
  bodyParts: [{ key: 'header', start: 0, maxLength: MOST_HEADER_BYTES }],
};

async function fetchHeads(
  box: OpenMailbox,
  client: ImapConnection,
  { folder, validity }: { folder: string; validity: string },
  uids: readonly number[],
): Promise<ThreadMail[]> {
  const found: ThreadMail[] = [];
  if (uids.length === 0) return found;
  for await (const fetched of client.fetch(uids.join(','), HEAD, { uid: true })) {
    const header = parseMailHeader(fetched.headers ?? new Uint8Array()) ?? [];
    const { uid } = fetched;
    const references = `${headerValue(header, 'references')} ${headerValue(header, 'in-reply-to')}`;
    found.push({
      name: mailName({ account: box.account, validity, uid, folder }),
      folder,
      uid,
      messageId: idsIn(headerValue(header, 'message-id'))[0] ?? '',
      references: idsIn(references),
      at: new Date(fetched.internalDate ?? 0).getTime(),
      fetched,
    });
  }
  return found;
}

/** Message-IDs as they stand in a header; what is longer than any server makes them is none. */
const idsIn = (value: string): string[] => [...new Set(value.match(/<[^<>\s"\\]{1,250}>/g) ?? [])];
