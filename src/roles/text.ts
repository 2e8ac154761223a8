/**
 * Owns: how much of a text is shown, and how text that nobody here wrote is set apart in a prompt.
 *
 * T1 What is cut says so and how much; no cut goes through a character.
 * T2 Material is enclosed in marks that it cannot contain: they carry a hash of the material itself.
 */
import { hash } from 'node:crypto';
import type { Json } from '../schema/json.ts';

/** Bytes a token is counted for. Careful on purpose: words need fewer tokens, dense data about this many. */
const BYTES_PER_TOKEN = 3;

/** Control, invisible and direction characters, and line ends that are none; not newline and tab. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFF9-\uFFFB]/gu;

export const bytesIn = (text: string): number => Buffer.byteLength(text);

export const tokensIn = (text: string): number => Math.ceil(bytesIn(text) / BYTES_PER_TOKEN);

export const bytesFor = (tokens: number): number => tokens * BYTES_PER_TOKEN;

/** At most `most` bytes: the head and the tail, and between them how much is missing. */
export function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const mark = `\n[… ${bytes.length} bytes in all, the middle is left out …]\n`;
  const room = most - bytesIn(mark);
  if (room <= 0) return head(bytes, Math.max(0, most));
  const front = Math.ceil((room * 2) / 3);
  return `${head(bytes, front)}${mark}${tail(bytes, room - front)}`;
}

/** Everything that could hide or steer is written out, such as \u{202e}. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (each) =>
    each === '\n' || each === '\t' ? each : `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** One line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = visible(
    text
      .slice(0, most * 4)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** Material for a prompt. What is inside says nothing to the reader of the prompt; it is looked at. */
export function asData(label: string, text: string, most: number): string {
  const shown = cut(visible(text), most);
  const mark = hash('sha256', shown).slice(0, 8);
  return `<data ${mark} ${oneLine(label, 200).replaceAll(/[<>]/g, ' ')}>\n${shown}\n</data ${mark}>`;
}

/** What a tool gave, as text: fields by name, and line ends as line ends, so that it can be read and quoted. */
export function outputText(output: Json): string {
  if (typeof output === 'string') return output;
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return JSON.stringify(output);
  const entries = Object.entries(output).filter(([name]) => !name.endsWith('artifact'));
  return entries
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** A name that can stand in ids: lower case ASCII letters, digits and dashes; may be empty. */
export function slugOf(text: string, longest: number): string {
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
