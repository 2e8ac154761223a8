/**
 * Owns: shortening texts, and marking foreign text in a prompt.
 *
 * T1 A shortened text says so and how long it was; no character is split.
 * T2 Material is enclosed in marks that it cannot contain, because they include a hash of the material itself.
 */
import { markAsData } from '../../core/schema/data-mark.ts';
import { isSameJson, type Json } from '../../core/schema/json.ts';
import { escapeInvisible, toOneLine } from '../../core/schema/one-line.ts';

/** Bytes per token, a cautious estimate: words need fewer tokens, dense data about this many. */
const BYTES_PER_TOKEN = 3;

export const byteLength = (text: string): number => Buffer.byteLength(text);

export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / BYTES_PER_TOKEN);

export const bytesForTokens = (tokens: number): number => tokens * BYTES_PER_TOKEN;

/** At most `most` bytes: the beginning and the end, with a note between them. */
export function truncateText(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const mark = `\n[… ${bytes.length} bytes in all, the middle is left out …]\n`;
  const room = most - byteLength(mark);
  if (room <= 0) return head(bytes, Math.max(0, most));
  const front = Math.ceil((room * 2) / 3);
  return `${head(bytes, front)}${mark}${tail(bytes, room - front)}`;
}

/** The text of a message that grows, with the places where parts end that the next one begins with, too: all but the last. */
export function growingText(parts: readonly string[]): { text: string; stable?: number[] } {
  let end = 0;
  const stable = parts.slice(0, -1).map((part) => (end += part.length));
  return { text: parts.join(''), ...(stable.length === 0 ? {} : { stable }) };
}

/** Material for a prompt, enclosed in marks, so that it is not read as instructions. */
export function wrapAsData(label: string, text: string, most: number): string {
  return markAsData(toOneLine(label, 200), truncateText(escapeInvisible(text), most));
}

/** The output of a tool as text: one field after another, with real line ends, so that it can be read and quoted. */
export function formatOutput(output: Json): string {
  if (typeof output === 'string') return output;
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return JSON.stringify(output);
  const entries = Object.entries(output).filter(([name]) => !name.endsWith('artifact'));
  return entries
    .filter(([, value]) => !entries.some(([, other]) => isSaidBy(value, other)))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** Whether a text is another field written as JSON, as servers return what they return as data: it is shown once. */
function isSaidBy(text: Json, data: Json): boolean {
  if (typeof text !== 'string' || data === null || typeof data !== 'object' || !/^\s*[[{]/.test(text)) return false;
  try {
    return isSameJson(JSON.parse(text) as Json, data);
  } catch {
    return false;
  }
}

/** A name for use in ids: lower-case ASCII letters, digits and dashes; may be empty. */
export function slugify(text: string, longest: number): string {
  const plain = text.slice(0, 1000).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, longest).replace(/-$/, '');
}

function head(bytes: Buffer, length: number): string {
  let end = Math.min(length, bytes.length);
  while (end > 0 && end < bytes.length && isInside(bytes[end])) end -= 1;
  return bytes.subarray(0, end).toString();
}

function tail(bytes: Buffer, length: number): string {
  let start = Math.max(0, bytes.length - length);
  while (start < bytes.length && isInside(bytes[start])) start += 1;
  return bytes.subarray(start).toString();
}

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
