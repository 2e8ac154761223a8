/**
 * Names of files as text. A name on disk is any bytes; while a tree is walked it is a string with one character for each
 * byte, which compares and hashes like the bytes. As text it is UTF-8 where it can be, and a byte that is not is written
 * as \xNN. Both directions are exact.
 */
import { isUtf8 } from 'node:buffer';

/** One character for each byte. */
export type ByteString = string;

// oxlint-disable-next-line no-control-regex -- ASCII begins with control characters
const ASCII = /^[\x00-\x7f]*$/;
const ESCAPED = /\\x([0-9a-f]{2})/g;

export const isAscii = (text: string): boolean => ASCII.test(text);

export const toBytes = (text: string): ByteString => Buffer.from(text).toString('latin1');

export function toPathText(name: ByteString): string {
  // A backslash that would be read as an escaped byte is escaped itself.
  const safe = name.includes('\\x') ? name.replace(/\\(?=x[0-9a-f]{2})/g, '\\x5c') : name;
  if (isAscii(safe)) return safe;
  const bytes = Buffer.from(safe, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : escapeInvalid(bytes);
}

export function fromPathText(text: string): ByteString {
  const bytes = isAscii(text) ? text : toBytes(text);
  return bytes.includes('\\x')
    ? bytes.replace(ESCAPED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    : bytes;
}

/** Reads as many UTF-8 characters as there are, and escapes each byte between them. */
function escapeInvalid(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((each) => at + each <= bytes.length && isUtf8(bytes.subarray(at, at + each)));
    text +=
      length === undefined
        ? `\\x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}`
        : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}
