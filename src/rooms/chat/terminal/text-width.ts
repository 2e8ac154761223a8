/** How many columns text takes on a terminal, and where it is wrapped there. */

const PLAIN = /^[\x20-\x7E]*$/;
const ZERO = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const EMOJI = /^\p{Emoji_Presentation}|\uFE0F/u;

/** Ranges of code points that take two columns, besides emoji. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

let segmenter: Intl.Segmenter | null = null;

/** What a person sees as characters: an accent belongs to its letter, and a family of emoji is one. */
export function splitGraphemes(text: string): string[] {
  if (PLAIN.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function graphemeWidth(grapheme: string): number {
  const point = grapheme.codePointAt(0) ?? 0;
  if (point >= 0x20 && point < 0x7f && grapheme.length === 1) return 1;
  if (ZERO.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  return WIDE.some(([from, to]) => point >= from && point <= to) ? 2 : 1;
}

export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return splitGraphemes(text).reduce((sum, each) => sum + graphemeWidth(each), 0);
}

/** One line of text as rows of at most `width` columns; a wide character that does not fit begins the next row. */
export function wrapColumns(line: string, width: number): string[] {
  if (PLAIN.test(line) && line.length <= width) return [line];
  const rows: string[] = [];
  let [row, taken] = ['', 0];
  for (const grapheme of splitGraphemes(line)) {
    const columns = graphemeWidth(grapheme);
    if (taken + columns > width) {
      rows.push(row);
      [row, taken] = ['', 0];
    }
    row += grapheme;
    taken += columns;
  }
  return [...rows, row];
}

/** The beginning of a line that fits, with … where something is left out. */
export function fitColumns(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  return `${wrapColumns(line, Math.max(1, width - 1))[0] ?? ''}…`;
}
