/**
 * Owns: the folded text in which known values are searched for. Folding removes what encoders, line breaks and quotes add
 * to a value, so that one search finds it in many forms.
 *
 * F1 White space, control characters, quotes, commas, backslashes and invisible characters are dropped.
 * F2 Escapes of JSON, of C and of URLs are decoded, however often they were applied.
 * F3 Letters lose their case; - is + and _ is /, as in the two alphabets of base64.
 * F4 Every unit knows its range of characters in the text, which always covers whole escapes.
 */

/** `starts` and `ends` say where in the text a unit comes from. */
export type Folded = { units: Uint16Array; starts: Uint32Array; ends: Uint32Array };

const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** Characters that are dropped: white space, and everything else that can be inside a value without being seen. */
const DROPPED = [
  ...Array.from({ length: 0x21 }, (_, code) => code),
  ...Array.from('"\'`,\\\u007f\u00a0\u00ad\u1680\u180e\u205f\u3000\ufeff', (character) => character.charCodeAt(0)),
  ...Array.from({ length: 16 }, (_, index) => 0x2000 + index),
  ...Array.from({ length: 8 }, (_, index) => 0x2028 + index),
  ...Array.from({ length: 5 }, (_, index) => 0x2060 + index),
];

/** The unit of every character; 0 = dropped. */
export const UNIT = Uint16Array.from({ length: 65_536 }, (_, code) =>
  code >= 0x41 && code <= 0x5a ? code + 32 : code,
);
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
    end = code === BACKSLASH ? escapeEnd(text, at) : at + 1;
    const unit = UNIT[code === BACKSLASH ? escapedIn(text, at, end) : code] as number;
    if (unit === 0) continue;
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

/** The end of \n, \u0041 or \x41, with one backslash or more; the end of the backslashes if they are no such escape. */
function escapeEnd(text: string, at: number): number {
  let next = at + 1;
  while (text.charCodeAt(next) === BACKSLASH) next += 1;
  const letter = text[next];
  if (letter === undefined) return next;
  if ('bfnrt'.includes(letter)) return next + 1;
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
  return digits > 0 && isHex(text, next + 1, digits) ? next + 1 + digits : next;
}

/** The character that an escape represents; a backslash if it is to be dropped. */
function escapedIn(text: string, at: number, end: number): number {
  const digits = /[ux]([0-9a-f]+)$/i.exec(text.slice(Math.max(at, end - 5), end))?.[1];
  return digits === undefined ? BACKSLASH : Number.parseInt(digits, 16);
}

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
