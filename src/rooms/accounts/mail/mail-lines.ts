/** Owns: what the header and the structure of a mail look like in a list. Pure. */
import type { MailPart } from '../../../kit/mail/imap-connection.ts';

type Address = { name?: string | undefined; address?: string | undefined };

const MOST_ADDRESSES = 20;

/** Names are whatever a sender likes, so the address always stands beside them. */
export function addressText(addresses: readonly Address[] | undefined): string {
  const all = (addresses ?? []).map(({ name = '', address = '' }) =>
    name === '' ? oneLine(address, 320) : `${oneLine(name, 200)} <${oneLine(address, 320)}>`,
  );
  const more = all.length - MOST_ADDRESSES;
  return [...all.slice(0, MOST_ADDRESSES), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** Without line breaks, and without characters that are not seen or turn the direction of a text. */
export const oneLine = (text: string, most: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, most);

export function dateText(date: Date | string | undefined): string {
  const at = new Date(date ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().replace('.000Z', 'Z');
}

/** `part` is its number for the server. */
export type Attachment = { part: string; name: string; type: string; bytes: number };

/** Everything that is no text of the mail itself: files, attached mails, and pictures that are no part of a page. */
export function attachmentsIn(part: MailPart | undefined): Attachment[] {
  if (part === undefined) return [];
  const { childNodes, type, disposition, dispositionParameters = {}, parameters = {} } = part;
  const isMail = type === 'message/rfc822';
  if (childNodes !== undefined && !isMail) return childNodes.flatMap(attachmentsIn);
  const given = dispositionParameters['filename'] ?? parameters['name'] ?? '';
  const isText = /^text\/(plain|html)$/.test(type) && disposition !== 'attachment' && given === '';
  const isOfPage = part.id !== undefined && disposition !== 'attachment' && type.startsWith('image/');
  if (isText || isOfPage || type.startsWith('multipart/')) return [];
  const number = part.part ?? '1';
  const name =
    oneLine(given, 200) ||
    `${isMail ? oneLine(part.envelope?.subject ?? '', 100) || 'mail' : `part-${number}`}${isMail ? '.eml' : (EXTENSIONS[type] ?? '')}`;
  return [{ part: number, name, type, bytes: part.size ?? 0 }];
}

const EXTENSIONS: Readonly<Record<string, string>> = { 'text/calendar': '.ics', 'application/pdf': '.pdf' };
