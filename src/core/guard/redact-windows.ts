/**
 * Owns: the quick check whether a text may contain a known value. Four consecutive folded units are a window; each value
 * is represented by one window, and a text without any of them contains no value. Windows end in units that are rare in
 * ordinary text, so that most characters of a text are skipped.
 */
import { byteOf, UNIT } from './redact-fold.ts';

export type Windows = {
  /** Matches every character that a window ends in. */
  ends: RegExp;
  /** A bitmap with a mark for every window, and the windows themselves. */
  marks: Uint8Array;
  drop: number;
  known: ReadonlySet<number>;
};

export const WINDOW = 4;

const BACKSLASH = 0x5c;
/** What the quick check cannot decode: escapes, entities, sequences of terminals, and text beyond Latin-1. */
// oxlint-disable-next-line no-control-regex -- sequences of terminals begin with a control character
const UNCLEAR = /%[^\w%]*[\da-fnrt]|\\[uxe0-3]|[^\0-\xff]|[\x1b\x80-\x9f]|&(?:#|amp|lt|gt|quot|apos|nbsp|shy)/i;
/** From common to rare, as in English and in JSON; any other character is rarer still. */
const COMMON = Array.from('etaoinsr0dlhcu1:pmf2+/.gby345678wv9k{}[]x=jqz', (unit) => unit.charCodeAt(0));

export function windowsOf(all: Iterable<number>): Windows {
  const known = new Set(all);
  const bits = Math.min(20, Math.max(12, Math.ceil(Math.log2(known.size * 128 + 1))));
  const drop = 32 - bits;
  const marks = new Uint8Array(2 ** bits);
  for (const window of known) marks[markOf(window, drop)] = 1;
  const last = new Set(Array.from(known, (window) => window & 0xff));
  const ends = charactersOf(last);
  return { ends, marks, drop, known };
}

/** A regular expression skips over text many times faster than a loop. */
function charactersOf(units: ReadonlySet<number>): RegExp {
  const codes = Array.from({ length: 256 }, (_, code) => code).filter((code) => units.has(UNIT[code] || -1));
  return new RegExp(`[${codes.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('')}]`, 'g');
}

/** A small set of rare units, such that each of the texts has one where a window can end. */
export function rareEnds(texts: readonly Uint16Array[]): ReadonlySet<number> {
  const chosen = new Set<number>();
  let open = texts.map((text) => new Set(text.subarray(WINDOW - 1)));
  while (open.length > 0) {
    const gains = new Map<number, number>();
    for (const units of open) for (const unit of units) gains.set(unit, (gains.get(unit) ?? 0) + 1);
    const [best] = [...gains].reduce((a, b) => (b[1] / frequency(b[0]) > a[1] / frequency(a[0]) ? b : a));
    chosen.add(best);
    open = open.filter((units) => !units.has(best));
  }
  return chosen;
}

/** Estimated by Zipf's law. */
function frequency(unit: number): number {
  const rank = COMMON.indexOf(unit);
  return rank === -1 ? 1 / 100 : 1 / (rank + 1);
}

/** The window moved on by one unit. */
export const slideWindow = (window: number, unit: number): number => (window << 8) | byteOf(unit);

export function isKnown(window: number, { marks, drop, known }: Windows): boolean {
  return marks[markOf(window, drop)] === 1 && known.has(window);
}

const markOf = (window: number, drop: number): number => Math.imul(window, 0x9e3779b1) >>> drop;

/** False only if no window is in the text. The usual answer, false, is almost free. */
export function mayContain(text: string, windows: Windows): boolean {
  if (UNCLEAR.test(text)) return true;
  const { ends } = windows;
  ends.lastIndex = 0;
  while (ends.test(text)) if (isKnown(windowUpTo(text, ends.lastIndex - 1), windows)) return true;
  return false;
}

/** The four units that end here, skipping dropped characters. */
function windowUpTo(text: string, end: number): number {
  let window = 0;
  let shift = 0;
  for (let at = end; at >= 0 && shift < 8 * WINDOW; at -= 1) {
    const code = text.charCodeAt(at);
    if (isEscaping(code) && text.charCodeAt(at - 1) === BACKSLASH) continue;
    const unit = UNIT[code] as number;
    if (unit === 0) continue;
    window |= unit << shift;
    shift += 8;
  }
  return window;
}

/** Whether the letter (b, f, n, r or t) forms an escape with a backslash before it. */
function isEscaping(code: number): boolean {
  return code === 0x6e || code === 0x72 || code === 0x74 || code === 0x62 || code === 0x66;
}
