/** Owns: a mail taken apart: its text, and its attachments. Goes through postal-mime, within limits. */
import PostalMime, { addressParser, decodeWords } from 'postal-mime';
import { hidesText, visibleText } from './visible-text.ts';

/** `isHiding`: it has text that its reader does not see, which is left out. */
export type ParsedMail = { text: string; isHiding: boolean; files: { name: string; bytes: Uint8Array }[] };

/** People send a few; a mail of very many parts only keeps the worker busy. */
const MOST_PARTS = 1000;

/** Null for a mail whose structure cannot be read. Attached mails stay files: what they say is not the sender's. */
export async function parseMail(source: Uint8Array): Promise<ParsedMail | null> {
  if (partsAtMost(source) > MOST_PARTS) return null;
  const mail = await PostalMime.parse(source, {
    forceRfc822Attachments: true,
    maxNestingDepth: 20,
    maxHeadersSize: 1024 * 1024,
  }).catch(() => null);
  if (mail === null) return null;
  const html = mail.html ?? '';
  // The text may contain that of HTML parts, too, with what these hide; the HTML contains all parts.
  const isHiding = hidesText(html);
  const text = isWritten(mail.text) && !isHiding ? (mail.text ?? '') : visibleText(html);
  const files = mail.attachments.map(({ filename, mimeType, content }, index) => ({
    name: filename ?? defaultName(mimeType, index),
    bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
  }));
  return { text, isHiding, files };
}

/** How many parts a mail can have: lines that begin with one of its boundaries. */
function partsAtMost(source: Uint8Array): number {
  const text = Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString('latin1');
  const boundaries = new Set<string>();
  for (const [, quoted, bare] of text.matchAll(
    /boundary(?:\*\d*\*?)?\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s";]{1,200}))/gi,
  )) {
    boundaries.add((quoted ?? bare ?? '').slice(0, SHORTEST));
    if (boundaries.size > MOST_PARTS) return boundaries.size;
  }
  let parts = 0;
  for (let at = text.indexOf('\n--'); at !== -1 && boundaries.size > 0; at = text.indexOf('\n--', at + 3)) {
    const start = text.slice(at + 3, at + 3 + SHORTEST);
    if ([...boundaries].some((boundary) => start.startsWith(boundary))) parts += 1;
    if (parts > MOST_PARTS) break;
  }
  return parts;
}

/** Characters by which boundaries are told apart. */
const SHORTEST = 12;

const isWritten = (text: string | undefined): boolean => (text ?? '').trim() !== '';

const defaultName = (type: string, index: number): string =>
  `attachment-${index + 1}${type === 'message/rfc822' ? '.eml' : ''}`;

/** The addresses of a field such as From or To, in lower case; null when one of them is not an ordinary address. */
export function parseAddresses(value: string): string[] | null {
  const found = addressParser(value.slice(0, MOST_CHARS), { flatten: true }).map(({ address }) => address ?? '');
  return found.every((address) => PLAIN.test(address)) ? found.map((address) => address.toLowerCase()) : null;
}

const MOST_CHARS = 20_000;
const PLAIN = /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9.-]{1,253}$/i;

/** A text of the header, decoded, in one line. */
export const decodeHeaderText = (value: string): string =>
  decodeWords(value.slice(0, MOST_CHARS))
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
