/**
 * Owns: the quick look whether a text may hold a known value at all. Four folded units in a row are a window; each value
 * is represented by one window, and a text that has none of them holds no value.
 */
import { byteOf, UNIT } from './redact-fold.ts';

/** A table with a mark for every window, and the windows themselves behind it. */
export type Windows = { marks: Uint8Array; drop: number; known: ReadonlySet<number> };

export const WINDOW = 4;

export function windowsOf(all: Iterable<number>): Windows {
  const known = new Set(all);
  const bits = Math.min(20, Math.max(12, Math.ceil(Math.log2(known.size * 128 + 1))));
  const drop = 32 - bits;
  const marks = new Uint8Array(2 ** bits);
  for (const window of known) marks[markOf(window, drop)] = 1;
  return { marks, drop, known };
}

/** The window after one more unit. */
export const slid = (window: number, unit: number): number => (window << 8) | byteOf(unit);

export function isKnown(window: number, { marks, drop, known }: Windows): boolean {
  return marks[markOf(window, drop)] === 1 && known.has(window);
}

const markOf = (window: number, drop: number): number => Math.imul(window, 0x9e3779b1) >>> drop;

/** What the quick look cannot see through: escapes that stand for a character, and text beyond Latin-1. */
const UNCLEAR = /%[^\w%]*[\da-fnrt]|\\[ux]|[^\0-\xff]/i;

/** By a byte and the one before it: how many bits the window moves, and the unit that comes in. */
const MOVES = Uint16Array.from({ length: 65_536 }, (_, pair) => {
  const unit = UNIT[pair & 0xff] ?? 0;
  const isEscape = pair >>> 8 === 0x5c && 'bfnrt'.includes(String.fromCharCode(pair & 0xff));
  return unit === 0 || isEscape ? 0 : (8 << 8) | unit;
});

/** Bytes are read several times faster than the characters of a string. */
const bytes = Buffer.alloc(65_536);
const page = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);

/** False only when no window is in the text. Nothing is allocated for the usual answer, which is false. */
export function mayHold(text: string, windows: Windows): boolean {
  if (UNCLEAR.test(text)) return true;
  const { marks, drop, known } = windows;
  let window = 0;
  let before = 0;
  for (let done = 0; done < text.length; done += page.length) {
    const part = text.length <= page.length ? text : text.slice(done, done + page.length);
    const length = bytes.write(part, 'latin1');
    for (let at = 0; at < length; at += 1) {
      const byte = page[at] as number;
      const move = MOVES[(before << 8) | byte] as number;
      before = byte;
      window = (window << (move >>> 8)) | (move & 0xff);
      if (marks[Math.imul(window, 0x9e3779b1) >>> drop] === 1 && known.has(window)) return true;
    }
  }
  return false;
}
