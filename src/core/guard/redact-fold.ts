/**
 * Owns: the folded text in which known values are searched for. Folding removes what encoders, line breaks and quotes add
 * to a value, so that one search finds it in many forms.
 *
 * F1 White space, control characters, colours of terminals, quotes, commas, backslashes and invisible characters are
 *    dropped.
 * F2 Escapes of JSON, of C and of URLs are decoded, however often they were applied, and so are entities of HTML.
 * F3 Letters lose their case; - is + and _ is /, as in the two alphabets of base64.
 * F4 Every unit knows its range of characters in the text, which always covers whole escapes.
 */

/** `starts` and `ends` say where in the text a unit comes from. */
export type Folded = { units: Uint16Array; starts: Uint32Array; ends: Uint32Array };

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const ESC = 0x1b;
const CSI = 0x9b;

/** Characters that are dropped: white space, and everything else that can be inside a value without being seen. */
const DROPPED = [
  ...Array.from({ length: 0x21 }, (_, code) => code),
  ...Array.from(
    '"\'`,\\\u007f\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u205f\u3000\u3164\ufeff\uffa0',
    (character) => character.charCodeAt(0),
  ),
  ...codesFrom(0x0080, 32),
  ...codesFrom(0x180b, 5),
  ...codesFrom(0x2000, 16),
  ...codesFrom(0x2028, 8),
  ...codesFrom(0x2060, 16),
  ...codesFrom(0xfe00, 16),
  ...codesFrom(0xfff9, 3),
];

function codesFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** The unit of every character; 0 = dropped. */
export const UNIT = new Uint16Array(65_536);
for (let code = 0; code < UNIT.length; code += 1) UNIT[code] = code >= 0x41 && code <= 0x5a ? code + 32 : code;
for (const code of DROPPED) UNIT[code] = 0;
UNIT['-'.charCodeAt(0)] = '+'.charCodeAt(0);
UNIT['_'.charCodeAt(0)] = '/'.charCodeAt(0);

/** A unit in eight bits. */
export function byteOf(unit: number): number {
  return (unit ^ (unit >>> 8)) & 0xff;
}

export function fold(text: string): Folded {
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0, end = 0; at < text.length; at = end) {
    const code = text.charCodeAt(at);
    const entity = code === AMPERSAND ? entityAt(text, at) : null;
    end = entity?.end ?? (code === BACKSLASH ? escapeEnd(text, at) : at + 1);
    const decoded = entity?.code ?? (code === BACKSLASH ? escapedIn(text, at, end) : code);
    const unit = UNIT[decoded] as number;
    if (unit === 0) {
      if (decoded === ESC || decoded === CSI) end = colourEnd(text, end, decoded);
      continue;
    }
    units[length] = unit;
    starts[length] = at;
    ends[length] = end;
    length = decodePercent(units, ends, length + 1);
  }
  return { units: units.subarray(0, length), starts: starts.subarray(0, length), ends: ends.subarray(0, length) };
}

/** Decodes a %41 at the end to one unit, repeatedly: encoded twice it is %2541, which gives the same unit. */
function decodePercent(units: Uint16Array, ends: Uint32Array, length: number): number {
  let left = length;
  while (left >= 3 && units[left - 3] === PERCENT) {
    const code = digitOf(units[left - 2]) * 16 + digitOf(units[left - 1]);
    if (Number.isNaN(code)) break;
    ends[left - 3] = ends[left - 1] as number;
    units[left - 3] = UNIT[code] as number;
    left -= units[left - 3] === 0 ? 3 : 2;
  }
  return left;
}

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|shy));?/iy;
const NAMED: Readonly<Record<string, number>> = {
  amp: AMPERSAND,
  lt: 0x3c,
  gt: 0x3e,
  quot: 0x22,
  apos: 0x27,
  nbsp: 0xa0,
  shy: 0xad,
};

/** An entity of HTML. What it stands for may again be the start of one, as in &amp;#104; */
function entityAt(text: string, at: number): { code: number; end: number } | null {
  ENTITY.lastIndex = at;
  const found = ENTITY.exec(text);
  if (found === null) return null;
  const [, decimal, hex, name = ''] = found;
  const code =
    decimal === undefined
      ? (NAMED[name.toLowerCase()] ?? Number.parseInt(hex ?? '0', 16))
      : Number.parseInt(decimal, 10);
  let end = at + found[0].length;
  if (code !== AMPERSAND) return { code: code & 0xffff, end };
  ENCODED.lastIndex = end;
  const again = ENCODED.exec(text);
  if (again === null) return { code, end };
  end += again[0].length;
  const [, inner = '', digits = ''] = again;
  return { code: Number.parseInt(digits, inner.toLowerCase() === 'x' ? 16 : 10) & 0xffff, end };
}

/** The rest of a numeric entity whose ampersand was encoded, as often as it was. */
const ENCODED = /(?:amp;)*#(x?)([\da-f]{1,7});/iy;

/** The end of the colour or cursor sequence of a terminal that starts before `at`. */
function colourEnd(text: string, at: number, code: number): number {
  if (code === ESC && text[at] !== '[') return at;
  COLOUR.lastIndex = code === ESC ? at + 1 : at;
  return COLOUR.exec(text) === null ? at : COLOUR.lastIndex;
}

const COLOUR = /[0-9:;<=>?]{0,40}[ !-/]{0,4}[@-~]/y;

/** The end of \n, \u0041, \x41 or \101, with one backslash or more; the end of the backslashes if they are no such escape. */
function escapeEnd(text: string, at: number): number {
  let next = at + 1;
  while (text.charCodeAt(next) === BACKSLASH) next += 1;
  const letter = text[next];
  if (letter === undefined) return next;
  if ('bfnrt'.includes(letter)) return next + 1;
  if (letter === 'e') return isColour(text, next + 1) ? next + 1 : next;
  if (letter >= '0' && letter <= '3') return octalEnd(text, next);
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
  return digits > 0 && isHex(text, next + 1, digits) ? next + 1 + digits : next;
}

/** The character that an escape represents; a backslash if it is to be dropped. */
function escapedIn(text: string, at: number, end: number): number {
  const escape = text.slice(Math.max(at, end - 5), end);
  const digits = /[ux]([0-9a-f]+)$/i.exec(escape)?.[1];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  if (escape.endsWith('\\e')) return ESC;
  const octal = /\\([0-3][0-7]{2})$/.exec(escape)?.[1];
  return octal === undefined ? BACKSLASH : Number.parseInt(octal, 8);
}

/** Three octal digits are a byte; fewer are digits behind a backslash. */
function octalEnd(text: string, at: number): number {
  return /^[0-3][0-7]{2}$/.test(text.slice(at, at + 3)) ? at + 3 : at;
}

/** Whether the rest of a colour follows: \e is an escape there and nowhere else. */
const isColour = (text: string, at: number): boolean => text[at] === '[';

function isHex(text: string, at: number, length: number): boolean {
  for (let index = at; index < at + length; index += 1)
    if (Number.isNaN(digitOf(UNIT[text.charCodeAt(index)]))) return false;
  return true;
}

/** NaN if the unit is not a hexadecimal digit. */
function digitOf(unit = 0): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  return unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : Number.NaN;
}
