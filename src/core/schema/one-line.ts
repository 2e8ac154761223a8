/** Text that is shown on one line, with everything that hides or reorders characters written out. */

/** Control, invisible and direction characters and Unicode line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFF9-\uFFFB]/gu;

/** One line of at most `most` characters. */
export function toOneLine(text: string, most: number): string {
  const line = escapeInvisible(
    text
      .slice(0, most * 4)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** Writes out characters that hide or reorder text, such as \u{202e}; newline and tab stay. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (each) =>
    each === '\n' || each === '\t' ? each : `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
