/** Text that a person can trust to be what it looks like. Every escape stands for one code point: nothing is left out. */

/** Control, format, direction, private, unassigned and ignorable characters, strange spaces, half pairs, our own brackets. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800⟦⟧]|(?! )\p{Zs}/gu;
/** A few blanks are seen; a screenful of them hides what stands behind. */
const MANY_BLANKS = / {9,}/g;
const MARKS = /\p{M}/gu;
const BEYOND_ASCII = /[^\n -~]/gu;
const MOST_ODD = 20;

/** Everything that is not plainly to be seen as ⟦U+202E⟧; line breaks stay. */
export function visible(text: string): string {
  return text
    .replaceAll(UNSEEN, (found) => (found === '\n' ? found : escaped(found)))
    .replaceAll(MARKS, escaped)
    .replaceAll(MANY_BLANKS, (blanks) => `⟦U+0020 ×${blanks.length}⟧`);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', escaped('\n'));
}

/** Characters beyond plain ASCII, which may look like others: each once, with its code point. */
export function oddIn(text: string): string[] {
  const found = [...new Set(text.match(BEYOND_ASCII) ?? [])];
  const told = found.slice(0, MOST_ODD).map((character) => {
    const name = nameOf(character);
    const seen = visible(character);
    return seen === character ? `${character} (${name})` : name;
  });
  return found.length > MOST_ODD ? [...told, `and ${found.length - MOST_ODD} more`] : told;
}

/** At most `most` characters, with the middle told as a number: never cut without saying so. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 40) / 2);
  return `${text.slice(0, half)} ⟦${text.length - 2 * half} characters left out⟧ ${text.slice(-half)}`;
}

const escaped = (character: string): string => `⟦${nameOf(character)}⟧`;

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
